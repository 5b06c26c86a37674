import { Session } from 'node:inspector/promises';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from './support/servers/fake-registry.ts';
import { startGateway, type Gateway } from './support/gateways/gateway.ts';
import { projectFolder, run as runCommand } from './support/package/run.ts';
import type { FileChanges } from './support/requests/file-changes.ts';

// How much a reader must open. The bounds are a little above what was measured; lower them after a
// change that makes the code smaller, and raise them only for a reason.

describe('the number of files that run for GET /v1/status with two TLDs', () => {
  let registry: FakeRegistry;
  let gateway: Gateway;
  beforeAll(async () => {
    registry = await startFakeRegistry();
    gateway = await startGateway({
      registries: { com: registry.baseUrl, net: registry.baseUrl },
      delegates: ['registered'],
    });
    // Everything that runs only once: canaries, controls of zones, compiled operations.
    await gateway.get('/v1/status?name=first&tlds=com,net');
    await gateway.get('/v1/status?name=first&tlds=com,net');
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  it('stays bounded with new and with cached answers', async () => {
    const path = '/v1/status?name=second&tlds=com,net';
    const cold = await filesRunBy(() => gateway.get(path));
    // Timers and writes that happen to run at the same time count, too, so the smallest number counts.
    const counts: number[] = [];
    for (let runs = 0; runs < 3; runs += 1) {
      const cached = await filesRunBy(() => gateway.get(path));
      expect(cached).not.toContain('src/registries/rdap/classify-response.ts');
      counts.push(cached.length);
    }
    expect(cold).toContain('src/registries/rdap/classify-response.ts');
    expect(cold.length).toBeLessThanOrEqual(138);
    expect(Math.min(...counts)).toBeLessThanOrEqual(92);
  });
});

it('changes file a bounded number of times for GET /v1/status with one name', async () => {
  const { stdout } = await runCommand(process.execPath, [
    'test/support/requests/file-changes.ts',
    '--json',
  ]);
  const { cold, cached }: Record<'cold' | 'cached', FileChanges> = JSON.parse(stdout);
  expect(cold.changes).toBeLessThanOrEqual(550);
  expect(cached.changes).toBeLessThanOrEqual(250);
}, 60_000);

it('gives at most 33.5 % of the files exactly one importer', () => {
  const counts = importerCounts();
  const withOne = counts.filter((count) => count === 1).length;
  expect(counts.length).toBeGreaterThan(300);
  expect(withOne / counts.length).toBeLessThanOrEqual(0.335);
});

/** Returns the files of `src` and `schema` of which a function is called while `run` runs. */
async function filesRunBy(run: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => /\/((?:src|schema)\/[^?]+\.ts)/.exec(url)?.[1] ?? []);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

/** Returns how many files import each file of `src` and `schema`. */
function importerCounts(): readonly number[] {
  const paths = globSync(['src/**/*.ts'], { cwd: projectFolder });
  const importers = new Map(paths.map((path) => [normalize(path), new Set<string>()]));
  for (const path of paths) {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:\bfrom|^import|\bimport\() ?'(\.[^']+)'/gm))
      importers.get(normalize(join(dirname(path), target)))?.add(path);
  }
  return Array.from(importers.values(), ({ size }) => size);
}
