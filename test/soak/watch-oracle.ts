// Compares what the observer reports of names in simulated time with what has happened to them.
import { createAnswer, type Answer } from '../../src/domain/answer.ts';
import { phaseOf } from '../../src/domain/verdict.ts';
import { createLog } from '../../src/log.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { memorySql } from '../../src/storage/sqlite/sql-file.ts';
import { HostSlots } from '../../src/watches/host-slots.ts';
import { Observer } from '../../src/watches/observer.ts';
import type { ChangeType, Facts } from '../../src/watches/observation.ts';
import type { Change, Watcher } from '../../src/watches/types.ts';
import { Watches } from '../../src/watches/watches.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { seededRandom } from '../support/time/random.ts';
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

/** What a record has shown. */
interface Showing {
  readonly at: number;
  readonly server: string | undefined;
  readonly types: readonly ChangeType[];
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
/** The changes that only a record shows. */
const recordTypes: readonly ChangeType[] = [
  'UPDATED',
  'EXPIRY',
  'REGISTRAR',
  'NAMESERVERS',
  'DNSSEC',
  'STATUSES',
  'PHASE',
];
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
  /** When the servers have shown the fields of each name. */
  const shown = new Map<string, Showing[]>(Array.from(lives.keys(), (name) => [name, []]));
  const lifeOfName = (name: string) => lives.get(name) ?? [];
  const registries = new Map(
    kinds.map((kind) => {
      const endpoint = `https://${kind}.example/`;
      const lookup = async ({ name }: { name: { ascii: string } }) => {
        requests.get(kind)?.push(clock.now());
        const answer = answerOf(kind, name.ascii, lifeOfName(name.ascii), clock.now());
        const server = answer.provenance.recordEndpoint;
        shown.get(name.ascii)?.push({ at: clock.now(), server, types: typesOf(answer) });
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
      changes: watches.changeLog,
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
  await watches.changeLog.open();
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
    ...compare(lives, changes, shown, clock.now()),
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
  showingsOf: ReadonlyMap<string, readonly Showing[]>,
  end: number,
) {
  const invented: string[] = [];
  const wrong: string[] = [];
  let [inTime, lasting] = [0, 0];
  const seen = Map.groupBy(changes, ({ domain }) => domain);
  for (const [name, life] of lives) {
    const open = (seen.get(name) ?? []).filter(({ type }) => !isOutage(type));
    const kind = kindOf(name);
    const showings = showingsOf.get(name) ?? [];
    const reports = [...open];
    for (const [index, truth] of life.entries()) {
      if (truth.type === null) continue;
      const until = life[index + 1]?.at ?? end;
      const interval = intervalBefore(life[index - 1]) * (missedLooks[kind] ?? 1);
      const isLasting = until - truth.at > interval + day && !isUnseen(kind, truth, life, showings);
      const found = open.filter(
        (change) =>
          change.type === truth.type &&
          // A lie about what comes true meanwhile may be the first of the two looks.
          (kind === 'lying' ? reportedAt(change) : change.seenAt) >= truth.at &&
          change.notBefore < until &&
          shows(change.after, truth),
      );
      for (const each of found) open.splice(open.indexOf(each), 1);
      // The date of a later change moves with one that is seen at the same time.
      const isExplained = (change: Change) =>
        reportedAt(change) >= truth.at && change.seenAt <= truth.at + interval + day;
      if (truth.type === 'UPDATED' && found.length === 0 && reports.some(isExplained)) continue;
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
          : (isOfSecond || isUnseen(kind, truth, life, showings)) &&
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

/** Returns whether a registration begins. */
function isStart({ type }: Truth): boolean {
  return type === null || type === 'REGISTERED';
}

/**
 * Returns whether no server of a registry shows a change: what it has not shown of this registration
 * before has not changed, and what it shows once may be a lie.
 */
function isUnseen(
  kind: Kind,
  { type, at }: Truth,
  life: readonly Truth[],
  showings: readonly Showing[],
): boolean {
  if (type === null || !recordTypes.includes(type)) return false;
  if (kind === 'drifting' && type === 'EXPIRY') return true;
  const start = life.findLast((truth) => truth.at < at && isStart(truth))?.at ?? at;
  const until = life.find((truth) => truth.at > at)?.at ?? Infinity;
  const shown = showings.filter((showing) => showing.types.includes(type));
  return !shown.some(({ at: before, server }) => {
    const later = shown.filter(
      (each) => each.server === server && each.at >= at && each.at < until,
    );
    return before >= start && before < at && later.length > 1;
  });
}

/** Returns when a change was reported. */
function reportedAt({ evidence, seenAt }: Change): number {
  return evidence?.controlsPassedAt ?? seenAt;
}

/** Returns the types of the fields that an answer shows. */
function typesOf(answer: Answer): readonly ChangeType[] {
  const record = answer.data?.registration?.();
  const isShown: Readonly<Partial<Record<ChangeType, boolean>>> = {
    UPDATED: record?.updatedAt !== undefined,
    EXPIRY: record?.expiresAt !== undefined,
    REGISTRAR: record?.registrar?.ianaId !== undefined,
    NAMESERVERS: (record?.hosts.length ?? 0) > 0,
    DNSSEC: (record?.dnssec.dsRecords.length ?? 0) > 0,
    STATUSES: (record?.statuses.length ?? 0) > 0,
    PHASE: record !== undefined,
  };
  return recordTypes.filter((type) => isShown[type]);
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
