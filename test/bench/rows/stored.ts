import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../../support/scratch.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compared, inTurn, plain, type Figure, type Scale } from '../figures.ts';
import { postRequest, startLoad } from '../load.ts';
import { startPart } from '../part.ts';
import { startRegistries } from '../registries.ts';
import { nameOf, typicalAnswer } from '../typical-answer.ts';

const few = 1000;
/** Of one bulk call; enough that the time is that of the lookups. */
const namesOfACall = 100;
const calls = 200;

/** A gateway with many names stored: its memory, its disk, and its lookups against those of one with a thousand. */
export async function stored({ rounds, seconds, stored: many }: Scale): Promise<readonly Figure[]> {
  await using folders = new AsyncDisposableStack();
  const [small, large] = [folders.use(await scratch()), folders.use(await scratch())];
  await fill(small.path, few);
  const bytes = (await fill(large.path, many)) / many;
  await using registries = await startRegistries({ plan: [['example', 0]], latencyMs: 0 });
  await using ofFew = await startBenchGateway({ registries, storeUrl: small.storeUrl });
  await using ofMany = await startBenchGateway({ registries, storeUrl: large.storeUrl });
  await using load = await startLoad();
  const put = async (gateway: BenchGateway, names: number) => {
    const { perSecond } = await load.put({ port: gateway.port, requests: randomCalls(gateway, names), seconds, connections: 1 });
    return 1_000_000 / perSecond / namesOfACall;
  };
  const pairs = await inTurn(
    rounds,
    () => put(ofMany, many),
    () => put(ofFew, few),
  );
  if ((await registries.count()).names > 0) throw new Error('a registry was asked for a name that is stored');
  const compact = JSON.stringify(typicalAnswer(1, Date.now())).length;
  const names = many.toLocaleString('en');
  return [
    plain({ id: 'memory', what: `resident set, ${names} names stored`, unit: 'MB', target: { atMost: 250 } }, [residentMegabytes(ofMany)]),
    compared({ id: 'disk', what: 'bytes on disk a name: compact record', unit: 'bytes', target: { atMost: 2 } }, [[bytes, compact]]),
    compared(
      { id: 'lookup', what: `a lookup, ${names} names stored: ${few.toLocaleString('en')} stored`, unit: 'µs', target: { atMost: 1.3 } },
      pairs,
    ),
  ];
}

/** Stores so many names as answers of this hour; returns the size of the file. */
async function fill(folder: string, names: number): Promise<number> {
  const path = join(folder, 'gateway-answers.db');
  await using filler = await startPart<string>(join(import.meta.dirname, '../fill-process.ts'), path, String(names));
  await filler.ask('close');
  return statSync(path).size;
}

/** Names at random, so that nothing is near what was read before. */
function randomCalls({ headers }: BenchGateway, names: number): readonly string[] {
  const randomName = () => nameOf(Math.floor(Math.random() * names));
  return Array.from({ length: calls }, () =>
    postRequest('/v1/status/bulk', { domains: Array.from({ length: namesOfACall }, randomName) }, headers),
  );
}

/** Linux alone tells. */
function residentMegabytes({ pid }: BenchGateway): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
