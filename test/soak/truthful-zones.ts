import { TRUNCATED_RESPONSE } from 'dns-packet';
import {
  startFakeDnsServer,
  type DnsAnswerOf,
  type FakeDnsAnswer,
  type FakeDnsQuery,
} from '../support/servers/fake-dns-server.ts';
import type { Random } from '../support/time/random.ts';
import { hash, truthOf } from './truthful-registry.ts';

/** Authoritative servers of zones that delegate most registered names. */
export interface TruthfulZones extends AsyncDisposable {
  /** The servers of each zone in the form of `SOURCES_FILE`. */
  readonly servers: readonly string[];
  readonly queryCount: number;
  /** The states that zones had. */
  readonly states: ReadonlySet<ZoneState>;
  isEmpty(zone: string): boolean;
  /**
   * Begins a round at a time (epoch ms): zones publish changes, and begin or cease to fail. A zone
   * does not become empty in a round in which its registry has lost data: if both sources of a name
   * lose it, nothing shows that it is registered.
   */
  nextRound(at: number, mayBecomeEmpty: (zone: string) => boolean): void;
  /**
   * Returns whether the zone delegated the name at a time (epoch ms), so that REGISTERED is what it
   * proved then. A zone that delegates every name must be detected by the next control.
   */
  wasDelegated(name: string, at: number): boolean;
}

/** `wildcard`: every name is delegated. `empty`: no name is. Both are wrong answers. */
type ZoneState = 'normal' | 'wildcard' | 'empty' | 'servfail' | 'silent';

interface Round {
  readonly startedAt: number;
  readonly state: ZoneState;
  /** When the current state began. */
  readonly since: number;
  /** Cohorts of changes that the zone contains. */
  readonly published: number;
}

export interface ZonesOptions {
  readonly zones: readonly string[];
  /** The probability of a fault per query. */
  readonly faults: () => number;
  /** The probability per round that a zone begins to fail. */
  readonly outages: number;
  readonly random: Random;
  readonly startedAt: number;
}

const cohorts = 20;
/** The result of a control is used for an hour. */
const controlMs = 60 * 60_000;

const staleServer = 2;
const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/**
 * Starts three servers for all zones: lookups go on to another one if one fails. One of them serves an
 * old version of each zone, from which most delegations are missing.
 */
export async function startTruthfulZones(options: ZonesOptions): Promise<TruthfulZones> {
  const { zones, faults, outages, random, startedAt } = options;
  const first: Round = { startedAt, state: 'normal', since: startedAt, published: 0 };
  const rounds = new Map(zones.map((zone) => [zone, [first]]));
  const roundsOf = (name: string) => rounds.get(name.slice(name.lastIndexOf('.') + 1)) ?? [first];
  const current = (name: string) => roundsOf(name).at(-1) ?? first;
  const states = new Set<ZoneState>();
  const answerAt = (
    server: number,
    ...[name, , transport]: Parameters<DnsAnswerOf>
  ): FakeDnsAnswer => {
    const round = current(name);
    if (round.state === 'servfail' || round.state === 'silent') return round.state;
    if (transport === 'udp' && random.chance(faults())) return faultyAnswer(name, random);
    const isMissing = server === staleServer && !isSample(name) && round.state === 'normal';
    if (isDelegated(name, round) && !isMissing)
      return random.pick(['delegated', 'delegated', 'child']);
    return round.state === 'empty' ? 'nxdomain' : absentAnswer(name);
  };
  await using stack = new AsyncDisposableStack();
  const servers = await Promise.all(
    addresses.map((address, server) =>
      startFakeDnsServer((...query) => answerAt(server, ...query), address),
    ),
  );
  for (const server of servers) stack.use(server);
  const next = (previous: Round, at: number, mayBecomeEmpty: boolean): Round => {
    const published = previous.published + Number(random.chance(0.02));
    // Lookups take seconds while a zone is silent.
    const hasEnded =
      previous.state !== 'normal' && random.chance(previous.state === 'silent' ? 0.5 : 0.1);
    const begins = previous.state === 'normal' && random.chance(outages);
    if (!hasEnded && !begins) return { ...previous, startedAt: at, published };
    const failing = random.pick([
      'wildcard',
      'wildcard',
      'servfail',
      'servfail',
      'empty',
      'silent',
    ] as const);
    const isAllowed = begins && (failing !== 'empty' || mayBecomeEmpty);
    const state = isAllowed ? failing : 'normal';
    states.add(state);
    return { startedAt: at, state, since: at, published };
  };
  const running = stack.move();
  return {
    servers: servers.map(({ address, port }) => `${address}:${port}`),
    states,
    get queryCount() {
      return servers.reduce((sum, { queries }) => sum + queries.length, 0);
    },
    isEmpty: (zone) => current(zone).state === 'empty',
    nextRound(at, mayBecomeEmpty) {
      for (const [zone, past] of rounds)
        past.push(next(past.at(-1) ?? first, at, mayBecomeEmpty(zone)));
    },
    wasDelegated(name, at) {
      const past = roundsOf(name);
      const index = past.findLastIndex((round) => round.startedAt <= at);
      // The zone may have answered in the round before the lookup ended.
      return past
        .slice(Math.max(index - 1, 0), index + 1)
        .some(
          (round) =>
            isDelegated(name, round) &&
            (round.state !== 'wildcard' || round.startedAt <= round.since + controlMs),
        );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Returns whether a zone delegates a name. One in ten registered names never is, because it has no
 * name servers or is on hold. Some changes have not been published yet: the zone still delegates
 * names that were deleted, and not yet names that were registered.
 */
function isDelegated(name: string, { state, published }: Round): boolean {
  if (state === 'wildcard') return true;
  if (state === 'empty') return false;
  if (isSample(name)) return true;
  const share = hash(`delegated ${name}`) % 100;
  const isPublished = hash(`published ${name}`) % cohorts < published;
  const truth = truthOf(name);
  if (truth === 'registered') return share >= 20 || (share >= 10 && isPublished);
  return truth !== 'reserved' && share < 5 && !isPublished;
}

function isSample(name: string): boolean {
  return /^(?:google|domreg)\./.test(name);
}

/** Some names without a delegation have other records, or names below them. */
function absentAnswer(name: string): FakeDnsAnswer {
  const share = hash(`records ${name}`) % 100;
  // Controls are random names, which have no records.
  if (share > 2 || name.length > 24) return 'nxdomain';
  return share === 0 ? 'nodata' : 'cname';
}

/** Returns an answer that must be detected as unusable, or repeated over TCP. */
function faultyAnswer(name: string, random: Random): FakeDnsAnswer {
  if (random.chance(0.05)) return 'silent';
  return random.pick<FakeDnsAnswer>([
    'servfail',
    'refused',
    truncated,
    truncated,
    (query) => query.sendBytes(Buffer.from('garbage')),
    (query) => query.send({ authorities: nsOf(query.zone) }),
    (query) => query.send({ authorities: nsOf('.') }),
    (query) => query.send({ authorities: nsOf(`other${random.below(100)}.${query.zone}`) }),
    (query) => query.send({ answers: [{ type: 'A', name, data: '192.0.2.1' }] }),
    (query) => query.send({ rcode: 3 }),
  ]);
}

const truncated = (query: FakeDnsQuery) => query.send({ flags: TRUNCATED_RESPONSE });

function nsOf(owner: string) {
  return [{ type: 'NS' as const, name: owner, ttl: 3600, data: 'ns1.example.net' }];
}
