import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../../support/stores/scratch.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compare, alternate, plain, type Figure, type Scale } from '../figures.ts';
import { getRequest, postRequest, startLoad } from '../load.ts';
import { startChildProcess } from '../part.ts';
import { startRegistries } from '../servers/registries.ts';
import { nameOf, typicalAnswer } from '../servers/typical-answer.ts';

const few = 1000;
/** Names per bulk call. */
const namesPerCall = 100;
const calls = 200;
/** Number of single lookups: more than a process caches. */
const singleNames = 10_000;

/**
 * A gateway with many stored names: memory, disk space, and lookup time compared with a thousand
 * names.
 */
export async function stored({ rounds, seconds, stored: many }: Scale): Promise<readonly Figure[]> {
  await using parts = new AsyncDisposableStack();
  const [small, large] = [parts.use(await scratch()), parts.use(await scratch())];
  await fill(small.path, few);
  const bytes = (await fill(large.path, many)) / many;
  const registries = parts.use(await startRegistries({ plan: [['example', 0]], latencyMs: 0 }));
  const load = parts.use(await startLoad());
  const smallGateway = parts.use(
    await startBenchGateway({ registries, storeUrl: small.storeUrl, env: { AUTH: 'auto' } }),
  );
  const largeGateway = parts.use(
    await startBenchGateway({ registries, storeUrl: large.storeUrl, env: { AUTH: 'auto' } }),
  );
  await load.measure({
    port: largeGateway.port,
    requests: randomCalls(largeGateway, many),
    seconds: 5 * seconds,
    connections: 1,
  });
  const resident = residentMegabytes(largeGateway);
  const microsecondsPerLookup = async ({ port }: BenchGateway, requests: readonly string[]) =>
    1e6 / (await load.measure({ port, requests, seconds, connections: 1 })).perSecond;
  const [single, singleOfFew] = [randomLookUps(many), randomLookUps(few)];
  const pairs = await alternate(
    rounds,
    () => microsecondsPerLookup(largeGateway, single),
    () => microsecondsPerLookup(smallGateway, singleOfFew),
  );
  if ((await registries.count()).names > 0)
    throw new Error('A registry was queried for a stored name.');
  const typical = typicalAnswer(1, Date.now());
  const compact = JSON.stringify({ ...typical, registration: typical.registration?.() }).length;
  const names = many.toLocaleString('en');
  return [
    plain(
      {
        id: 'memory',
        what: `resident set, ${names} names stored`,
        unit: 'MB',
        target: { atMost: 250 },
      },
      [resident],
    ),
    compare(
      {
        id: 'disk',
        what: 'bytes on disk per name: compact record',
        unit: 'bytes',
        target: { atMost: 0.2 },
      },
      [[bytes, compact]],
    ),
    compare(
      {
        id: 'lookup',
        what: `a lookup, ${names} names stored: ${few.toLocaleString('en')} stored`,
        unit: 'µs',
        target: { atMost: 1.3 },
      },
      pairs,
    ),
  ];
}

/** Stores this many names with recent answers. Returns the size of the file. */
async function fill(folder: string, names: number): Promise<number> {
  const path = join(folder, 'gateway-answers.db');
  await using filler = await startChildProcess<string>(
    join(import.meta.dirname, '../fill-process.ts'),
    path,
    String(names),
  );
  await filler.request('close');
  return statSync(path).size;
}

function randomCalls({ headers }: BenchGateway, names: number): readonly string[] {
  return Array.from({ length: calls }, () => {
    const domains = Array.from({ length: namesPerCall }, () => randomName(names));
    return postRequest('/v1/status/bulk', { domains }, headers);
  });
}

/** Each request is distinct, so that the lookup is measured and not a cache of requests. */
function randomLookUps(names: number): readonly string[] {
  return Array.from({ length: singleNames }, (_, index) =>
    getRequest(`/v1/status?domain=${randomName(names)}&n=${index}`),
  );
}

/** Random names, so that reads are scattered. */
const randomName = (names: number) => nameOf(Math.floor(Math.random() * names));

/** Returns the resident set size. Linux only. */
function residentMegabytes({ pid }: BenchGateway): number {
  return (
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  );
}
