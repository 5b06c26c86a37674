import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsTable } from '../../src/metrics/table.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { plainText } from '../support/page-commands.ts';
import { projectFolder } from '../support/run.ts';

let gateway: Gateway;
let operations: string;
let reliability: string;
beforeAll(async () => {
  gateway = await startGateway();
  operations = plainText(await (await gateway.fetch('/docs/operations')).text());
  reliability = plainText(await (await gateway.fetch('/docs/reliability')).text());
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('/docs/operations', () => {
  it.each(Object.keys(metricsTable))('explains the metric %s', (name) => {
    expect(operations).toContain(name);
  });

  it('speaks of no metric that there is not', () => {
    const spokenOf = new Set(operations.match(/\bgateway_(?!restored)[a-z]+_[a-z_]*[a-z]\b/g));
    expect(Array.from(spokenOf).filter((name) => !(name in metricsTable))).toEqual([]);
  });

  it('speaks of no setting that there is not', () => {
    const settings = readFileSync(join(projectFolder, 'src/config.ts'), 'utf8');
    const spokenOf = new Set(operations.match(/\b[A-Z]{2,}_[A-Z_]+\b/g));
    expect(spokenOf.size).toBeGreaterThan(8);
    expect(Array.from(spokenOf).filter((name) => !settings.includes(`  ${name}: `))).toEqual([]);
  });
});

describe('/docs/reliability', () => {
  it('names tests that there are, for every promise', () => {
    const named = new Set(reliability.match(/\btest\/[\w./-]*\w/g));
    expect(named.size).toBeGreaterThan(20);
    expect(Array.from(named).filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
  });

  it('and the other page leave out no script that goes on for as long as one likes', () => {
    const scripts = globSync('test/soak/*.ts', {
      cwd: projectFolder,
      exclude: ['**/*.test.ts'],
    }).filter((path) =>
      /^if \(import\.meta\.main\)|^\/\/ .*`node /m.test(
        readFileSync(join(projectFolder, path), 'utf8'),
      ),
    );
    expect(scripts.filter((path) => !(reliability + operations).includes(path))).toEqual([]);
  });
});
