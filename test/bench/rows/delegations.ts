import { setTimeout as sleep } from 'node:timers/promises';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { compare, fullScale, plain, spreadOf, type Figure, type Scale } from '../figures.ts';
import {
  ianaPlan,
  isTaken,
  startRegistries,
  type Plan,
  type Registries,
} from '../servers/registries.ts';
import { validSearch, type SearchTimes } from '../searching.ts';
import { startZones } from '../servers/zones.ts';

const latencyMs = 20;
/** In this time, the canaries of most TLDs of the largest registry are looked up. */
const pauseMs = 75_000;

interface Measured {
  readonly times: SearchTimes;
  readonly requests: number;
}

/**
 * 300 TLDs in the proportions of IANA's document, with default settings: 60 % of the names are
 * delegated, and the others available. The baseline is the same gateway without the DNS. A complete
 * run searches for another label after a pause, too.
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
        target: { atMost: 2500 },
        note: `without DNS, the last row arrived after ${Math.round(spreadOf(pairs.map(([, without]) => without.times.last)).median)} ms`,
      },
      pairs.map(([{ times }]) => times.last),
    ),
    {
      ...figure('delegated-requests', 'RDAP requests', 0.5, ({ requests }) => requests),
      unit: 'requests',
      note: `and ${queries} DNS queries`,
    },
    ...(rounds < fullScale.rounds ? [] : await again(registries, plan, zones.servers, what)),
  ];
}

/**
 * Three further searches, each of another label after a pause: canaries were looked up in the
 * background in the meantime.
 */
async function again(
  registries: Registries,
  plan: Plan,
  dns: readonly string[],
  what: string,
): Promise<readonly Figure[]> {
  await using opened = await open(registries, dns);
  await validSearch(opened.gateway, 'mostly', plan);
  const found: (Measured & { readonly perFree: number })[] = [];
  for (const label of ['mostly-second', 'mostly-third', 'mostly-fourth']) {
    await sleep(pauseMs);
    await registries.count();
    const times = await validSearch(opened.gateway, label, plan);
    const requests = (await registries.count()).names;
    const free = plan.filter(([tld]) => !isTaken(`${label}.${tld}`)).length;
    found.push({ times, requests, perFree: requests / free });
  }
  const row = (
    id: string,
    part: string,
    atMost: number,
    valueOf: (search: (typeof found)[number]) => number,
  ) =>
    plain(
      {
        id,
        what: `${what}, next searches after ${pauseMs / 1000} s each, ${part}`,
        unit: id.endsWith('requests') ? '' : 'ms',
        target: { atMost },
        note: `in the order of the searches: ${found.map((search) => valueOf(search).toFixed(id.endsWith('requests') ? 2 : 0)).join(', ')}`,
      },
      found.map(valueOf),
    );
  return [
    row('delegated-next-half', 'half of the rows', 150, ({ times }) => times.half),
    row('delegated-next-last', 'last row', 1000, ({ times }) => times.last),
    row('delegated-next-requests', 'RDAP requests per unregistered name', 1.3, (search) => search.perFree), // prettier-ignore
  ];
}

/** Searches once with a new gateway: one that was used before does not have full buckets. */
async function measure(
  registries: Registries,
  plan: Plan,
  dns: readonly string[] | null,
): Promise<Measured> {
  await using opened = await open(registries, dns);
  await registries.count();
  const times = await validSearch(opened.gateway, 'mostly', plan);
  return { times, requests: (await registries.count()).names };
}

async function open(
  registries: Registries,
  dns: readonly string[] | null,
): Promise<AsyncDisposable & { readonly gateway: BenchGateway }> {
  await using parts = new AsyncDisposableStack();
  const file = parts.use(await writeBootstrap({ suffixes: { '': { dns } } }));
  const env = { SOURCES_FILE: file.path, ...(dns === null && { DNS_FIRST: 'off' }) };
  const gateway = parts.use(await startBenchGateway({ registries, env }));
  return Object.assign(parts.move(), { gateway });
}
