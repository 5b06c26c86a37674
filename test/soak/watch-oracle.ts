// Compares what the observer reports of names in simulated time with what has happened to them.
import { createAnswer } from '../../src/domain/answer.ts';
import { phaseOf } from '../../src/domain/verdict.ts';
import { createLog } from '../../src/log.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { memorySql } from '../../src/storage/sqlite/sql-file.ts';
import { HostSlots } from '../../src/watches/host-slots.ts';
import { Observer } from '../../src/watches/observer.ts';
import type { Facts } from '../../src/watches/observation.ts';
import type { Change, Watcher } from '../../src/watches/types.ts';
import { Watches } from '../../src/watches/watches.ts';
import { manualClock } from '../support/manual-clock.ts';
import { seededRandom } from '../support/random.ts';
import { withoutWebhooks } from '../watches/stores.ts';
import { answerOf, kinds, lagOf, type Kind } from './watches/registries.ts';
import { day, lifeOf, truthAt, type Truth } from './watches/truth.ts';

export interface WatchReport {
  readonly looks: number;
  readonly changes: number;
  /** Changes that were reported although they did not happen. */
  readonly invented: readonly string[];
  /** Changes that lasted and were not reported, or more than once. */
  readonly wrong: readonly string[];
  /** The share of changes that were seen within the interval of their name and 15 minutes. */
  readonly inTime: number;
  /** The most requests of a host in an hour. */
  readonly perHour: number;
}

const minute = 60_000;
const round = 10_000;
/**
 * So many looks in a row may not show a change: the second of two servers lacks a field, a registry
 * omits it, or each refusal has doubled the interval.
 */
const missedLooks: Readonly<Partial<Record<Kind, number>>> = {
  twofold: 3,
  omitting: 2,
  throttling: 8,
};
/** A lie about what comes true meanwhile is the first of the two looks. */
const maxLieMs = 10 * minute;
export const watchIntervalMs = 120_000;

/** Watches names of each kind of registry for some days. */
export async function watchForDays(
  namesOfKind: number,
  days: number,
  seed: number,
): Promise<WatchReport> {
  await using parts = new AsyncDisposableStack();
  const clock = manualClock();
  const random = seededRandom(seed);
  const lives = new Map<string, readonly Truth[]>();
  for (const kind of kinds)
    for (let number = 0; number < namesOfKind; number += 1)
      lives.set(`n${number}-${seed}-${kind}.example`, lifeOf(clock.now(), days, random));
  const requests = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  /** When a name was first shown with all its dates. */
  const shownSince = new Map<string, number>();
  const lifeOfName = (name: string) => lives.get(name) ?? [];
  const registries = new Map(
    kinds.map((kind) => {
      const endpoint = `https://${kind}.example/`;
      const lookup = async ({ name }: { name: { ascii: string } }) => {
        requests.get(kind)?.push(clock.now());
        const answer = answerOf(kind, name.ascii, lifeOfName(name.ascii), clock.now());
        const isShown = answer.data?.registration?.().updatedAt !== undefined;
        if (isShown && !shownSince.has(name.ascii)) shownSince.set(name.ascii, clock.now());
        return answer;
      };
      const sources = [
        { kind: 'rdap', endpoint, provesAvailable: true },
        { kind: 'dns', endpoint: null, provesAvailable: false },
      ] as const;
      return [kind, { id: endpoint, sources, readCache: async () => new Map(), lookup }];
    }),
  );
  const directory = {
    resolve: ({ ascii }: { ascii: string }) =>
      ({ policy: { kind: 'OPEN' }, registry: registries.get(kindOf(ascii)) }) as never,
  };
  const zone = {
    lookup: async ({ name: { ascii } }: { name: { ascii: string } }) => {
      const isFree = truthAt(lifeOfName(ascii), clock.now()).verdict !== 'REGISTERED';
      const delegation = isFree ? 'absent' : 'delegated';
      return createAnswer({ verdict: 'REGISTERED' } as const, { delegation });
    },
  };
  const database = parts.adopt(memorySql(), (open) => open.close());
  const accounts = parts.adopt(memoryAccounts({ clock, freeCredits: 0 }), (open) => open.close());
  const shared = { database, directory, clock };
  const watches = new Watches({
    ...withoutWebhooks,
    ...shared,
    ledger: accounts,
    onDue: () => undefined,
  });
  const observer = parts.adopt(
    new Observer({
      ...shared,
      // Without maintenance, which reads all watches each minute.
      clock: { ...clock, elapsed: () => 0 },
      changes: watches.log,
      names: watches.names,
      accounts,
      zone,
      dnsFirst: true,
      slots: new HostSlots(() => watchIntervalMs, clock),
      changeDays: 1000,
      log: createLog('silent'),
    }),
    (open) => open.stop(),
  );
  await watches.log.open();
  // Accounts without a meter watch 100 names each.
  const watchers: Watcher[] = [];
  const names = [...lives.keys()];
  for (let first = 0; first < names.length; first += 100) {
    const watcher = { id: `account ${first}`, isMetered: false };
    watchers.push(watcher);
    await watches.watch(watcher, names.slice(first, first + 100));
  }
  const start = clock.now();
  const nextDue = 'SELECT min(next_look) AS due FROM watched_names';
  observer.wake();
  while (clock.now() < start + days * day) {
    await observer.idle();
    const [row] = await database.query<{ due: number }>(nextDue);
    const wait = (row?.due ?? 0) - clock.now();
    clock.advance(Math.max(Math.ceil(wait / round), 1) * round);
  }
  const changes: Change[] = [];
  for (const watcher of watchers)
    changes.push(...(await watches.changes(watcher, {}, 1_000_000)).items);
  return {
    ...compare(lives, changes, shownSince, clock.now()),
    looks: [...requests.values()].flat().length,
    changes: changes.length,
    perHour: Math.max(...Array.from(requests.values(), mostInAnHour)),
  };
}

function kindOf(name: string): Kind {
  return (/-(\w+)\./.exec(name)?.[1] ?? 'honest') as Kind;
}

function compare(
  lives: ReadonlyMap<string, readonly Truth[]>,
  changes: readonly Change[],
  shownSince: ReadonlyMap<string, number>,
  end: number,
) {
  const invented: string[] = [];
  const wrong: string[] = [];
  let [inTime, lasting] = [0, 0];
  const seen = Map.groupBy(changes, ({ domain }) => domain);
  for (const [name, life] of lives) {
    const open = (seen.get(name) ?? []).filter(({ type }) => !isOutage(type));
    const kind = kindOf(name);
    const since = shownSince.get(name) ?? end;
    for (const [index, truth] of life.entries()) {
      if (truth.type === null || isUnseen(kind, truth, since)) continue;
      const until = life[index + 1]?.at ?? end;
      const interval = intervalBefore(life[index - 1]) * (missedLooks[kind] ?? 1);
      const earliest = truth.at - (kind === 'lying' ? maxLieMs : 0);
      const isLasting = until - truth.at > interval + day;
      const found = open.filter(
        ({ type, seenAt, notBefore, after }) =>
          type === truth.type && seenAt >= earliest && notBefore < until && shows(after, truth),
      );
      for (const each of found) open.splice(open.indexOf(each), 1);
      if (found.length > 1 || (isLasting && found.length === 0))
        wrong.push(`${name} ${truth.type} ${new Date(truth.at).toISOString()}: ${found.length}`);
      if (!isLasting || !found[0]) continue;
      lasting += 1;
      if (found[0].seenAt - truth.at <= interval + 15 * minute) inTime += 1;
    }
    for (const { type, seenAt, before, after } of open) {
      const at = new Date(seenAt).toISOString();
      const shown = truthAt(life, seenAt - lagOf(kind, name, seenAt));
      const isExpiry =
        type === 'PHASE' &&
        before.verdict === after.verdict &&
        after.phase === phaseOf(shown.verdict, shown.registration, seenAt);
      // The statuses of a phase differ with it, and an expiry date that is not compared with the last
      // change. A second server shows the date of a change, but neither registrars nor nameservers.
      const isOfSecond = type === 'UPDATED' && kind === 'twofold';
      const isBeside = life.some((truth) =>
        type === 'STATUSES'
          ? after.statuses?.[0] === truth.registration.statuses[0]
          : (isOfSecond || isUnseen(kind, truth, since)) &&
            after.updatedAt === truth.registration.updatedAt,
      );
      if (!isExpiry && !isBeside)
        invented.push(`${name} ${type} ${at} ${JSON.stringify([before, after])}`);
    }
  }
  return { invented, wrong, inTime: inTime / Math.max(lasting, 1) };
}

/** Returns whether a change shows what is true. */
function shows(after: Facts, { type, verdict, registration }: Truth): boolean {
  const { registrar, hosts, statuses, dnssec, ...dates } = registration;
  if (type === 'EXPIRY') return after.expiresAt === dates.expiresAt;
  if (type === 'UPDATED') return after.updatedAt === dates.updatedAt;
  if (type === 'REGISTRAR') return after.registrar?.ianaId === registrar?.ianaId;
  if (type === 'NAMESERVERS') return after.nameservers?.[0] === hosts[0]?.name;
  if (type === 'DNSSEC')
    return after.dnssec?.[0]?.split(' ')[0] === String(dnssec.dsRecords[0]?.keyTag);
  return type === 'STATUSES' ? after.statuses?.[0] === statuses[0] : after.verdict === verdict;
}

function isOutage(type: string): boolean {
  return type === 'WITHOUT_VERDICT' || type === 'VERDICT_BACK';
}

/** Returns whether a registry of a kind cannot show a change. */
function isUnseen(kind: Kind, { type, at }: Truth, shownSince: number): boolean {
  // What the first records lack has not changed.
  const isOmitted = type === 'UPDATED' || type === 'EXPIRY' || type === 'REGISTRAR';
  if (kind === 'omitting' && isOmitted) return at < shownSince;
  return kind === 'drifting' && type === 'EXPIRY';
}

/** Returns how often the record of a name is looked at, in milliseconds. */
function intervalBefore(truth: Truth | undefined): number {
  const intervals = { REDEMPTION: day, PENDING_DELETE: day / 2, AVAILABLE: day / 2 };
  const { verdict = 'REGISTERED' } = truth ?? {};
  return verdict in intervals ? intervals[verdict as keyof typeof intervals] : 7 * day;
}

function mostInAnHour(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - 60 * minute) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
