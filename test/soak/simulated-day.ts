// Counts the requests that registries and zones receive in a working day of searches, whose eight
// hours pass in about a minute: `node test/soak/simulated-day.ts [SEARCHES] [SEED]`. With a third
// argument, so many names are watched and due, and three minutes pass in real time, because the
// store is in another thread; with 0, it shows the latencies to compare.
import { join } from 'node:path';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/clock.ts';
import { tldSets } from '../../src/domain/names/tld-sets.ts';
import { eventClock, type EventClock } from '../support/time/event-clock.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { openLedger } from '../support/stores/ledger.ts';
import { callerWith } from '../support/gateways/metered-gateway.ts';
import { seededRandom, type Random } from '../support/time/random.ts';
import { scratch } from '../support/stores/scratch.ts';
import { eventsOf } from '../support/requests/streams.ts';
import { hostOfTld, isRegistered, startDayServers, type DayServers } from './day/servers.ts';
import type { Received } from './day/tally.ts';

/** The outcome of a day. */
export interface DayReport {
  readonly seed: number;
  readonly searches: number;
  readonly rows: number;
  /** Available rows, and how many different names they are of. */
  readonly available: { readonly rows: number; readonly names: number };
  /** Why rows have no verdict. */
  readonly unknown: readonly string[];
  readonly wrong: readonly string[];
  readonly rdap: Received;
  readonly dns: Received;
  readonly rdapPerAvailable: { readonly row: number; readonly name: number };
  /** When half of the rows, and the last one, of a search arrived: by the clock of the day. */
  readonly halfMs: Percentiles;
  readonly lastMs: Percentiles;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

interface Row {
  readonly domain: string;
  readonly available: boolean | null;
  readonly reason: string | null;
  readonly atMs: number;
}

const minuteMs = 60_000;
const dayMs = 8 * 60 * minuteMs;
const labels = 3000;

/** Lists of TLDs, the most frequent first. */
const lists: readonly (readonly string[])[] = [
  tldSets['popular'],
  { tlds: ['com', 'net', 'org'] },
  tldSets['tech'],
  { tlds: ['com'] },
  tldSets['business'],
  { tlds: ['com', 'app', 'dev', 'ai', 'xyz', 'online'] },
  tldSets['new'],
  { tlds: everyFourthTld() },
]
  .map((set) => (set?.tlds ?? []).filter((tld) => hostOfTld.has(tld)))
  .filter(({ length }) => length > 0);

/**
 * Runs a day. People search for one to four labels under one list of TLDs, with pauses; labels and
 * lists are chosen by rank (the first most often), so that some names are searched again. If names
 * are watched, all are due when the day begins, and the day is short.
 */
export async function simulateDay(
  searches: number,
  seed: number,
  watched?: number,
): Promise<DayReport> {
  await using parts = new AsyncDisposableStack();
  const clock = watched === undefined ? eventClock() : realClock;
  const lengthMs = watched === undefined ? dayMs : 3 * minuteMs;
  const folder = parts.use(await scratch());
  const servers = parts.use(await startDayServers([...new Set(lists.flat())], clock));
  const options = {
    clock,
    registries: servers.registries,
    env: {
      ...(watched !== undefined && { STORE_URL: folder.storeUrl }),
      AUTH: 'open',
      RATE_LIMIT: '0',
      MAX_TLDS: '500',
      SOURCES_FILE: servers.sourcesFile,
      RDAP_LIMITS: servers.limitsFile,
    },
  };
  // Until it has read its files, time stands still.
  const gateway = parts.use(await startGateway(options));
  if (watched) await watch(gateway, clock, join(folder.path, 'gateway.db'), watched);
  const found: Promise<readonly Row[]>[] = [];
  const done = Promise.withResolvers<void>();
  const random = seededRandom(seed);
  schedule(clock, lengthMs, random, searches, (label, tlds) => {
    found.push(search({ gateway, clock, servers }, label, tlds));
  });
  clock.after(lengthMs, done.resolve);
  await clock.run(done.promise);
  const results = await clock.run(Promise.all(found));
  const rows = results.flat();
  const availableRows = rows.filter((row) => row.available === true);
  const available = {
    rows: availableRows.length,
    names: new Set(availableRows.map(({ domain }) => domain)).size,
  };
  const [rdap, dns] = [servers.rdap.received(), servers.dns.received()];
  return {
    seed,
    searches: results.length,
    rows: rows.length,
    available,
    unknown: rows
      .filter((row) => row.available === null)
      .map(({ domain, reason }) => `${domain}: ${reason}`),
    wrong: availableRows.filter(({ domain }) => isRegistered(domain)).map(({ domain }) => domain),
    rdap,
    dns,
    rdapPerAvailable: { row: rdap.total / available.rows, name: rdap.total / available.names },
    halfMs: percentilesOf(results.map((each) => each[Math.ceil(each.length / 2) - 1]?.atMs ?? 0)),
    lastMs: percentilesOf(results.map((each) => each.at(-1)?.atMs ?? 0)),
  };
}

/** Real time, for which nothing has to be reported. */
const realClock: EventClock = { ...systemClock, touch: () => undefined, run: (until) => until };

/** Watches names under all TLDs of the lists, with a key that can pay for them. */
async function watch(gateway: Gateway, clock: EventClock, ledger: string, count: number) {
  const key = generateKey();
  const accounts = openLedger(ledger, clock);
  await accounts.create({ name: 'Watcher', credits: 1_000_000, origins: [] }, hashOf(key));
  await accounts.close();
  const tlds = [...new Set(lists.flat())];
  const names = Array.from(
    { length: count },
    (_, index) => `watched${index}.${tlds[index % tlds.length]}`,
  );
  const caller = callerWith(key, gateway.fetch);
  for (let first = 0; first < count; first += 500) {
    const { status } = await caller.post('/v1/watches', {
      domains: names.slice(first, first + 500),
    });
    if (status !== 200) throw new Error(`Watching answered ${status}.`);
  }
}

/** Schedules the searches of a day: people arrive at random, but not in the last minutes. */
function schedule(
  clock: EventClock,
  lengthMs: number,
  random: Random,
  searches: number,
  run: (label: string, tlds: readonly string[]) => void,
): void {
  for (let left = searches; left > 0;) {
    const count = Math.min(left, 1 + random.below(4));
    const tlds = lists[randomRank(random, lists.length)] ?? [];
    let at = random.below(lengthMs * 0.98);
    for (let index = 0; index < count; index += 1) {
      const label = `name${randomRank(random, labels)}`;
      clock.after(at, () => run(label, tlds));
      at += (5000 + random.below(40_000)) * (lengthMs / dayMs);
    }
    left -= count;
  }
}

interface Day {
  readonly gateway: Gateway;
  readonly clock: EventClock;
  readonly servers: DayServers;
}

/** Searches like the search page. */
async function search(
  { gateway, clock, servers }: Day,
  label: string,
  tlds: readonly string[],
): Promise<readonly Row[]> {
  servers.rdap.recordSearch(label, tlds);
  servers.dns.recordSearch(label, tlds);
  const startedAt = clock.now();
  const query =
    'subscription ($name: String, $tlds: [String!]) { availability(name: $name, tlds: $tlds, confirm: AVAILABLE) { domain available reason } }';
  const response = await gateway.post(
    '/graphql',
    { query, variables: { name: label, tlds } },
    { accept: 'text/event-stream', connection: 'close' },
  );
  const rows: Row[] = [];
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'next') rows.push({ ...data.data.availability, atMs: clock.now() - startedAt });
  }
  if (rows.length !== tlds.length) throw new Error(`${rows.length} of ${tlds.length} rows`);
  return rows;
}

/** Returns an index that is chosen with a probability inversely proportional to its rank. */
function randomRank(random: Random, length: number): number {
  const sums = sumsOf(length);
  const target = (random.below(2 ** 30) / 2 ** 30) * (sums.at(-1) ?? 0);
  return sums.findIndex((sum) => sum > target);
}

const sumsByLength = new Map<number, readonly number[]>();
function sumsOf(length: number): readonly number[] {
  let total = 0;
  const sums =
    sumsByLength.get(length) ?? Array.from({ length }, (_, rank) => (total += 1 / (rank + 1)));
  sumsByLength.set(length, sums);
  return sums;
}

function everyFourthTld(): readonly string[] {
  return Array.from(hostOfTld.keys()).filter((_, index) => index % 4 === 0);
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

if (import.meta.main) {
  const [searches = 1000, seed = 1, watched] = process.argv.slice(2).map(Number);
  const startedAt = performance.now();
  const { rdap, dns, wrong, ...report } = await simulateDay(searches, seed, watched);
  const { byHost: rdapByHost, ...rdapTotals } = rdap;
  const { byHost: _, ...dnsTotals } = dns;
  console.log({ ...report, wrong: wrong.length, rdap: rdapTotals, dns: dnsTotals });
  console.log(Object.fromEntries(Object.entries(rdapByHost).slice(0, 12)));
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
