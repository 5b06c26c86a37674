import { startBenchGateway } from '../bench-gateway.ts';
import { compare, type Figure, type Scale } from '../figures.ts';
import { evenPlan, startRegistries, type Counts } from '../servers/registries.ts';
import { rivalNames, startRival, type RivalName, type RivalTimes } from '../rivals.ts';
import { search, warmUpSearches } from '../searching.ts';

/** Maximum concurrent requests per registry: few, so that names are queued, or no limit. */
const caps = { 'cap 2 at each': 2, 'no cap': 1000 } as const;

const names = 300;
/** Searches are short and vary by half, so several per round are needed for a median. */
const searchesARound = 4;

interface Tally extends Counts {
  readonly wrong: number;
  readonly unknown: number;
}

/**
 * The same search by client libraries, with the same registries, two of 60 of which are misleading
 * like some real ones.
 */
export async function rivals(scale: Scale): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [words, cap] of Object.entries(caps)) {
    for (const name of rivalNames) figures.push(await against(name, words, cap, scale));
  }
  return figures;
}

async function against(
  name: RivalName,
  words: string,
  cap: number,
  { rounds }: Scale,
): Promise<Figure> {
  const plan = evenPlan(names, 60);
  await using registries = await startRegistries({ plan, latencyMs: 20, misleading: true });
  await using gateway = await startBenchGateway({
    registries,
    env: { RDAP_RATE: '0', RDAP_CONCURRENCY: String(cap) },
  });
  await using rival = await startRival(name, registries, cap);
  const ours: Tally[] = [];
  const theirs: Tally[] = [];
  const pairs: [number, number][] = [];

  /**
   * Searches twice for the same label. Measures the first search, and counts the requests of both.
   */
  async function counted(tallies: Tally[], run: () => Promise<RivalTimes>): Promise<number> {
    await registries.count();
    const { last, wrong, unknown } = await run();
    await run();
    tallies.push({ ...(await registries.count()), wrong, unknown });
    return last;
  }

  for (let round = -warmUpSearches; round < rounds * searchesARound; round++) {
    const last = await counted(ours, () => search(gateway, `label${round}`, plan));
    const theirLast = await counted(theirs, () => rival.search(`label${round}`));
    if (round >= 0) pairs.push([last, theirLast]);
  }
  const note = `gateway ${inWords(ours)}; ${name} ${inWords(theirs)}`;
  const what = `the same search, ${words}, last row: ${name}`;
  return compare(
    { id: `rivals ${name} ${cap}`, what, unit: 'ms', target: { atMost: 1 }, note },
    pairs,
  );
}

function inWords(tallies: readonly Tally[]): string {
  const sum = (of: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  const verdicts = `${sum(({ wrong }) => wrong)} verdicts wrong, ${sum(({ unknown }) => unknown)} unknown, of ${tallies.length * names}`;
  return `${sum((tally) => tally.names)} requests and ${sum(({ lists }) => lists)} for the list, ${verdicts}`;
}
