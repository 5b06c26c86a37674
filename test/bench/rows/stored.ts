import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../../support/scratch.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compare, alternate, plain, type Figure, type Scale } from '../figures.ts';
import { getRequest, postRequest, startLoad } from '../load.ts';
import { startPart } from '../part.ts';
import { startRegistries } from '../registries.ts';
import { nameOf, typicalAnswer } from '../typical-answer.ts';

const few = 1000;
/** Of one bulk call. */
const namesOfACall = 100;
const calls = 200;
/** Of the names that are looked up alone: more than a process remembers. */
const singleNames = 10_000;

/** A gateway with many names stored: its memory, its disk, and its lookups against those of one with a thousand. */
export async function stored({ rounds, seconds, stored: many }: Scale): Promise<readonly Figure[]> {
  await using parts = new AsyncDisposableStack();
  const [small, large] = [parts.use(await scratch()), parts.use(await scratch())];
  await fill(small.path, few);
  const bytes = (await fill(large.path, many)) / many;
  const registries = parts.use(await startRegistries({ plan: [['example', 0]], latencyMs: 0 }));
  const load = parts.use(await startLoad());
  const ofFew = parts.use(
    await startBenchGateway({ registries, storeUrl: small.storeUrl, env: { AUTH: 'auto' } }),
  );
  const ofMany = parts.use(
    await startBenchGateway({ registries, storeUrl: large.storeUrl, env: { AUTH: 'auto' } }),
  );
  await load.put({
    port: ofMany.port,
    requests: randomCalls(ofMany, many),
    seconds: 5 * seconds,
    connections: 1,
  });
  const resident = residentMegabytes(ofMany);
  const microsecondsEach = async ({ port }: BenchGateway, requests: readonly string[]) =>
    1e6 / (await load.put({ port, requests, seconds, connections: 1 })).perSecond;
  const [single, singleOfFew] = [randomLookUps(many), randomLookUps(few)];
  const pairs = await alternate(
    rounds,
    () => microsecondsEach(ofMany, single),
    () => microsecondsEach(ofFew, singleOfFew),
  );
  if ((await registries.count()).names > 0)
    throw new Error('a registry was asked for a name that is stored');
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
        what: 'bytes on disk a name: compact record',
        unit: 'bytes',
        target: { atMost: 2 },
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

/** Stores so many names as answers of this hour; returns the size of the file. */
async function fill(folder: string, names: number): Promise<number> {
  const path = join(folder, 'gateway-answers.db');
  await using filler = await startPart<string>(
    join(import.meta.dirname, '../fill-process.ts'),
    path,
    String(names),
  );
  await filler.ask('close');
  return statSync(path).size;
}

function randomCalls({ headers }: BenchGateway, names: number): readonly string[] {
  return Array.from({ length: calls }, () => {
    const domains = Array.from({ length: namesOfACall }, () => randomName(names));
    return postRequest('/v1/status/bulk', { domains }, headers);
  });
}

/** Each spelled as no other: it is the look-up that counts, and not that a thousand requests are remembered. */
function randomLookUps(names: number): readonly string[] {
  return Array.from({ length: singleNames }, (_, index) =>
    getRequest(`/v1/status?domain=${randomName(names)}&n=${index}`),
  );
}

/** At random, so that nothing is near what was read before. */
const randomName = (names: number) => nameOf(Math.floor(Math.random() * names));

/** Linux alone tells. */
function residentMegabytes({ pid }: BenchGateway): number {
  return (
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  );
}
