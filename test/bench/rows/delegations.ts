import { writeBootstrap } from '../../support/fake-bootstrap.ts';
import { startBenchGateway } from '../bench-gateway.ts';
import { compare, plain, spreadOf, type Figure, type Scale } from '../figures.ts';
import { ianaPlan, startRegistries, type Plan, type Registries } from '../registries.ts';
import { validSearch, type SearchTimes } from '../searching.ts';
import { startZones } from '../zones.ts';

const latencyMs = 20;

interface Measured {
  readonly times: SearchTimes;
  readonly requests: number;
}

/**
 * 300 TLDs in the proportions of IANA's document, with default settings: 60 % of the names are
 * delegated, and the others available. The baseline is the same gateway without the DNS.
 */
export async function delegations({ rounds }: Scale): Promise<readonly Figure[]> {
  const plan = ianaPlan(300);
  await using registries = await startRegistries({ plan, latencyMs });
  await using zones = await startZones();
  const pairs: [Measured, Measured][] = [];
  let queries = 0;
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    await zones.count();
    const withDns = await measure(registries, plan, zones.servers);
    queries = await zones.count();
    pairs.push([withDns, await measure(registries, plan, null)]);
  }
  const what = `1 label × ${plan.length} TLDs in IANA's proportions, default settings, 60 % of the names delegated`;
  const figure = (id: string, part: string, target: number, valueOf: (side: Measured) => number) =>
    compare(
      { id, what: `${what}, ${part}: without DNS`, unit: 'ms', target: { atMost: target } },
      pairs.map(([withDns, without]) => [valueOf(withDns), valueOf(without)]),
    );
  return [
    figure('delegated-half', 'half of the rows', 0.5, ({ times }) => times.half),
    plain(
      {
        id: 'delegated-last',
        what: `${what}, last row`,
        unit: 'ms',
        target: { atMost: 2800 },
        note: `without DNS, the last row arrived after ${Math.round(spreadOf(pairs.map(([, without]) => without.times.last)).median)} ms`,
      },
      pairs.map(([{ times }]) => times.last),
    ),
    {
      ...figure('delegated-requests', 'RDAP requests', 0.5, ({ requests }) => requests),
      unit: 'requests',
      note: `and ${queries} DNS queries`,
    },
  ];
}

/** Searches once with a new gateway: one that was used before does not have full buckets. */
async function measure(
  registries: Registries,
  plan: Plan,
  dns: readonly string[] | null,
): Promise<Measured> {
  await using file = await writeBootstrap({ suffixes: { '': { dns } } });
  await using gateway = await startBenchGateway({
    registries,
    env: { SOURCES_FILE: file.path, ...(dns === null && { DNS_FIRST: 'off' }) },
  });
  await registries.count();
  const times = await validSearch(gateway, 'mostly', plan);
  return { times, requests: (await registries.count()).names };
}
