import { processorSeconds } from '../../support/requests/processor-time.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { alternate, compare, type Figure, type Scale } from '../figures.ts';
import { evenPlan, startRegistries } from '../servers/registries.ts';
import { startRival, type RivalName } from '../rivals.ts';
import { validSearch } from '../searching.ts';

const plan = evenPlan(300, 60);
const concurrency = 16;
/** Searches per round and side: processor time is counted in hundredths of a second. */
const searchesARound = 6;
const warmUpRounds = 5;

/** The plain requests, `undici.request` and `JSON.parse`, and libraries that do the same job. */
const baselines = [
  ['floor', 2],
  ['rdapper', 1],
  ['node-rdap', 1],
] as const satisfies readonly (readonly [RivalName, atMost: number])[];

/**
 * The processor time of registered names that are not cached, with objects as large as those of a
 * gTLD: in searches, and one name per request. Linux only.
 */
export async function cold(scale: Scale): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, atMost] of baselines)
    figures.push(await against(name, 'cold', searched, atMost, scale));
  return [...figures, await against('floor', 'cold-single', oneByOne, 4, scale)];
}

async function against(
  name: RivalName,
  id: string,
  ask: (gateway: BenchGateway, label: string) => Promise<unknown>,
  atMost: number,
  { rounds }: Scale,
): Promise<Figure> {
  await using registries = await startRegistries({ plan, latencyMs: 5, large: true });
  const env = { RDAP_RATE: '0', RDAP_CONCURRENCY: String(concurrency) };
  await using gateway = await startBenchGateway({ registries, env });
  await using rival = await startRival(name, registries, concurrency);

  let searches = 0;
  async function microsecondsPerName(pid: number, run: (label: string) => Promise<unknown>) {
    const before = processorSeconds([pid]);
    for (let index = 0; index < searchesARound; index += 1) await run(`held${searches++}`);
    return ((processorSeconds([pid]) - before) * 1e6) / (searchesARound * plan.length);
  }

  const pairs = await alternate(
    rounds,
    () => microsecondsPerName(gateway.pid, (label) => ask(gateway, label)),
    () => microsecondsPerName(rival.pid, (label) => rival.search(label)),
    warmUpRounds,
  );
  const how = ask === oneByOne ? 'one per GET /v1/status' : 'in searches of 300 TLDs';
  const what = `a name that is not cached, ${how}: ${name}`;
  return compare({ id: `${id} ${name}`, what, unit: 'µs', target: { atMost } }, pairs);
}

function searched(gateway: BenchGateway, label: string): Promise<unknown> {
  return validSearch(gateway, label, plan);
}

async function oneByOne(gateway: BenchGateway, label: string): Promise<void> {
  const tlds = plan.map(([tld]) => tld);
  const askInTurn = async () => {
    for (let tld = tlds.pop(); tld !== undefined; tld = tlds.pop())
      await gateway.text(`/v1/status?domain=${label}.${tld}`);
  };
  await Promise.all(Array.from({ length: concurrency }, askInTurn));
}
