import { startBenchGateway } from '../bench-gateway.ts';
import { compare, type Figure, type Scale } from '../figures.ts';
import { evenPlan, ianaPlan, startRegistries, type Plan } from '../servers/registries.ts';
import { startRival } from '../rivals.ts';
import { validSearch, warmUpSearches } from '../searching.ts';

const latencyMs = 20;
/** The defaults of RDAP_CONCURRENCY and RDAP_RATE, with a burst of five seconds' worth. */
const concurrency = 8;
const [rate, burst] = [10, 50];

/**
 * One label under 300 TLDs of 60 registries, without a rate limit: when the first and the last row
 * arrive.
 */
export async function search({ rounds }: Scale): Promise<readonly Figure[]> {
  const plan = evenPlan(300, 60);
  await using registries = await startRegistries({ plan, latencyMs });
  await using gateway = await startBenchGateway({ registries, env: { RDAP_RATE: '0' } });
  await using direct = await startRival('direct', registries, concurrency);
  const ideal = latencyMs * Math.ceil(largest(plan) / concurrency);
  const coldSearch = await validSearch(gateway, 'coldSearch', plan);
  const times = [];
  const floor = [];
  for (let round = -warmUpSearches; round < rounds; round++) {
    const found = await validSearch(gateway, `label${round}`, plan);
    const { last } = await direct.search(`direct${round}`);
    if (round < 0) continue;
    times.push(found);
    floor.push(last);
  }
  const what = '1 label × 300 TLDs, 60 registries at 20 ms, cold';
  const note =
    `with direct requests by node:http, the last row arrived after ${median(floor)} ms. ` +
    `The first requests to a registry include its canary: then the last row arrived after ${Math.round(coldSearch.last)} ms`;
  return [
    compare(
      {
        id: 'search-first',
        what: `${what}, first row: a registry's latency`,
        unit: 'ms',
        target: { atMost: 1.5 },
      },
      times.map(({ first }) => [first, latencyMs]),
    ),
    compare(
      {
        id: 'search-last',
        what: `${what}, last row: ideal schedule`,
        unit: 'ms',
        target: { atMost: 1.3 },
        note,
      },
      times.map(({ last }) => [last, ideal]),
    ),
  ];
}

/**
 * Every fourth TLD of IANA's document with the same distribution over servers, with default
 * settings: the rate limit of the largest server is decisive.
 */
export async function rated({ rounds }: Scale): Promise<readonly Figure[]> {
  const plan = ianaPlan(300);
  const servers = new Set(plan.map(([, server]) => server)).size;
  const ideal = (Math.max(0, largest(plan) - burst) / rate) * 1000 + latencyMs;
  await using registries = await startRegistries({ plan, latencyMs });
  const pairs: [number, number][] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    // A gateway that was used before does not have full buckets.
    await using gateway = await startBenchGateway({ registries });
    pairs.push([(await validSearch(gateway, 'rated', plan)).last, ideal]);
  }
  const what = `1 label × ${plan.length} TLDs, ${servers} registries in IANA's proportions, default settings, last row: ideal schedule`;
  const note = `the largest registry serves ${largest(plan)} of them at ${rate} per second after a burst of ${burst}`;
  return [compare({ id: 'rated', what, unit: 'ms', target: { atMost: 1.1 }, note }, pairs)];
}

/** A bulk call of 500 names in one TLD. */
export async function bulk({ rounds }: Scale): Promise<readonly Figure[]> {
  const [names, concurrent] = [500, 16];
  const plan = evenPlan(1, 1);
  const tld = plan[0]?.[0] ?? '';
  await using registries = await startRegistries({ plan, latencyMs });
  await using gateway = await startBenchGateway({
    registries,
    env: { RDAP_RATE: '0', RDAP_CONCURRENCY: String(concurrent) },
  });
  const ideal = latencyMs * Math.ceil(names / concurrent);
  const pairs: [number, number][] = [];
  for (let round = -warmUpSearches; round < rounds; round++) {
    const body = JSON.stringify({
      domains: Array.from(
        { length: names },
        (_, index) => `bulk${round + warmUpSearches}-${index}.${tld}`,
      ),
    });
    const startedAt = performance.now();
    const answer = await gateway.text('/v1/status/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const durationMs = performance.now() - startedAt;
    if (JSON.parse(answer).meta.unknown > 0) throw new Error('Some names have no verdict.');
    if (round >= 0) pairs.push([durationMs, ideal]);
  }
  const what = 'bulk, 500 names in one TLD, 20 ms, concurrency 16: ideal schedule';
  return [compare({ id: 'bulk', what, unit: 'ms', target: { atMost: 1.15 } }, pairs)];
}

function largest(plan: Plan): number {
  return Math.max(
    ...Array.from(Map.groupBy(plan, ([, server]) => server).values(), ({ length }) => length),
  );
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN);
}
