import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../../support/scratch.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compared, inTurn, plain, type Figure, type Scale } from '../figures.ts';
import { postRequest, startLoad } from '../load.ts';
import { startPart, type Part } from '../part.ts';
import { startRegistries } from '../registries.ts';
import { nameOf, typicalAnswer } from '../typical-answer.ts';

const few = 1000;
/** Of one bulk call. */
const namesOfACall = 100;
const calls = 200;
const warmUps = 10;

/** A gateway with many names stored: its memory, its disk, and its lookups against those of one with a thousand. */
export async function stored({ rounds, seconds, stored: many }: Scale): Promise<readonly Figure[]> {
  await using folders = new AsyncDisposableStack();
  const [small, large] = [folders.use(await scratch()), folders.use(await scratch())];
  await fill(small.path, few);
  const bytes = (await fill(large.path, many)) / many;
  const resident = await residentUnderLoad(large.storeUrl, many, seconds);
  await using ofFew = await reader(small.path, few);
  await using ofMany = await reader(large.path, many);
  for (let round = 0; round < warmUps; round++) for (const part of [ofFew, ofMany]) await part.ask('');
  const pairs = await inTurn(
    rounds,
    () => ofMany.ask(''),
    () => ofFew.ask(''),
  );
  const compact = JSON.stringify(typicalAnswer(1, Date.now())).length;
  const names = many.toLocaleString('en');
  return [
    plain({ id: 'memory', what: `resident set, ${names} names stored`, unit: 'MB', target: { atMost: 250 } }, [resident]),
    compared({ id: 'disk', what: 'bytes on disk a name: compact record', unit: 'bytes', target: { atMost: 2 } }, [[bytes, compact]]),
    compared(
      { id: 'lookup', what: `a lookup, ${names} names stored: ${few.toLocaleString('en')} stored`, unit: 'µs', target: { atMost: 1.3 } },
      pairs,
    ),
  ];
}

/** What a gateway takes in memory that has been asked for names at random. */
async function residentUnderLoad(storeUrl: string, names: number, seconds: number): Promise<number> {
  await using registries = await startRegistries({ plan: [['example', 0]], latencyMs: 0 });
  await using gateway = await startBenchGateway({ registries, storeUrl });
  await using load = await startLoad();
  await load.put({ port: gateway.port, requests: randomCalls(gateway, names), seconds: 5 * seconds, connections: 1 });
  if ((await registries.count()).names > 0) throw new Error('a registry was asked for a name that is stored');
  return residentMegabytes(gateway);
}

function reader(folder: string, names: number): Promise<Part<string>> {
  return startPart(join(import.meta.dirname, '../read-process.ts'), join(folder, 'gateway-answers.db'), String(names));
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
