import { readBootstrap } from '../../../src/directory/bootstrap-parser.ts';
import table from '../../../src/directory/bootstrap-table.json' with { type: 'json' };
import { startBenchGateway } from '../bench-gateway.ts';
import { compare, type Figure, type Scale } from '../figures.ts';
import { evenPlan, startRegistries, type Plan } from '../registries.ts';
import { startRival } from '../rivals.ts';
import { validSearch, warmUps } from '../searching.ts';

const latencyMs = 20;
/** The defaults of RDAP_CONCURRENCY and RDAP_RATE, and a burst of five seconds' worth. */
const concurrency = 8;
const [rate, burst] = [10, 50];

/** One label under 300 TLDs of 60 registries, with no rate of our own: when the first and the last row come. */
export async function search({ rounds }: Scale): Promise<readonly Figure[]> {
  const plan = evenPlan(300, 60);
  await using registries = await startRegistries({ plan, latencyMs });
  await using gateway = await startBenchGateway({ registries, env: { RDAP_RATE: '0' } });
  await using direct = await startRival('direct', registries, concurrency);
  const ideal = latencyMs * Math.ceil(largest(plan) / concurrency);
  const met = await validSearch(gateway, 'met', plan);
  const times = [];
  const floor = [];
  for (let round = -warmUps; round < rounds; round++) {
    const found = await validSearch(gateway, `label${round}`, plan);
    const { last } = await direct.search(`direct${round}`);
    if (round < 0) continue;
    times.push(found);
    floor.push(last);
  }
  const what = '1 label × 300 TLDs, 60 registries at 20 ms, cold';
  const note =
    `asked directly, by node:http with nothing in between, the last came after ${middle(floor)} ms. ` +
    `Registries that were never met before are asked for a name that they must hold, too: then the last row came after ${Math.round(met.last)} ms`;
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

/** Every fourth TLD of IANA's list, its servers in their proportions, under the default settings: the largest server's rate is the limit. */
export async function rated({ rounds }: Scale): Promise<readonly Figure[]> {
  const fourth = Array.from(readBootstrap(table)).filter((_, index) => index % 4 === 0);
  const hosts = [...new Set(fourth.map(([, { baseUrls }]) => new URL(baseUrls[0]).host))];
  const plan: Plan = fourth.map(([tld, { baseUrls }]) => [
    tld,
    hosts.indexOf(new URL(baseUrls[0]).host),
  ]);
  const ideal = (Math.max(0, largest(plan) - burst) / rate) * 1000 + latencyMs;
  await using registries = await startRegistries({ plan, latencyMs });
  const pairs: [number, number][] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    // The buckets of one that was asked before are not full.
    await using gateway = await startBenchGateway({ registries });
    pairs.push([(await validSearch(gateway, 'rated', plan)).last, ideal]);
  }
  const what = `1 label × ${plan.length} TLDs, ${hosts.length} registries in IANA's proportions, default settings, last row: ideal schedule`;
  const note = `the largest registry serves ${largest(plan)} of them at ${rate} a second after a burst of ${burst}`;
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
  for (let round = -warmUps; round < rounds; round++) {
    const body = JSON.stringify({
      domains: Array.from(
        { length: names },
        (_, index) => `bulk${round + warmUps}-${index}.${tld}`,
      ),
    });
    const startedAt = performance.now();
    const answer = await gateway.text('/v1/status/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const took = performance.now() - startedAt;
    if (JSON.parse(answer).meta.unknown > 0) throw new Error('some names are not known');
    if (round >= 0) pairs.push([took, ideal]);
  }
  const what = 'bulk, 500 names in one TLD, 20 ms, concurrency 16: ideal schedule';
  return [compare({ id: 'bulk', what, unit: 'ms', target: { atMost: 1.15 } }, pairs)];
}

function largest(plan: Plan): number {
  return Math.max(
    ...Array.from(Map.groupBy(plan, ([, server]) => server).values(), ({ length }) => length),
  );
}

function middle(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN);
}
