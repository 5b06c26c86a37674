import { withTimeLimit, type Clock } from '../../clock.ts';
import { abortWith } from '../../shared/abort-with.ts';
import {
  classifyMessage,
  encodeQuery,
  type ConclusiveReply,
  type InconclusiveReply,
} from './message.ts';
import type { ServerHealth } from './server-health.ts';
import type {
  DnsServer,
  DnsExchange,
  ExchangeFailure,
  ExchangeResult,
  Transport,
} from './transport.ts';

export interface Zone {
  readonly name: string;
  readonly servers: readonly DnsServer[];
  /** Owners that the SOA record of its negative answers may have. */
  readonly soaOwners: readonly string[];
}

export interface ZoneQueryOptions {
  readonly clock: Clock;
  readonly exchange: DnsExchange;
  readonly health: ServerHealth;
}

export interface ZoneQueryLimits {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
  /** The absence of a name is not conclusive unless a second name server reports it, too. */
  readonly confirmAbsence?: boolean;
}

type Failure = ExchangeFailure | InconclusiveReply['kind'];

/**
 * What the servers of a zone replied. `isReached`: at least one replied, in whatever way. `server`: the
 * one whose reply this is. `isUnconfirmed`: no second one replied, which an absence requires.
 */
export type ZoneReply = (
  | (ConclusiveReply & { readonly server: DnsServer; readonly isUnconfirmed?: boolean })
  | { readonly kind: 'none'; readonly failures: ReadonlySet<Failure> }
) & { readonly isReached: boolean };

/** The result of querying one server. */
interface Attempt {
  readonly server: DnsServer;
  readonly reply: ConclusiveReply | { readonly kind: Failure };
}

/** What one server replied, and over which transport. */
interface ServerReply extends Pick<Attempt, 'reply'> {
  readonly transport: Transport;
}

/** Two rounds over two servers. */
const serversPerRound = 2;
const maxAttempts = 4;
const maxExchangeMs = 2000;
/** How long a second server may take to confirm an absence, so that a dead one does not slow names. */
const maxSecondMs = 1500;
/** Why the other attempts end. */
const answered = 'answered';

/**
 * Queries the servers of a zone for the delegation of a name until one of them delegates it, or two
 * do not: a secondary may serve an old zone. Never rejects.
 */
export async function queryZone(
  name: string,
  zone: Zone,
  options: ZoneQueryOptions,
  limits: ZoneQueryLimits,
): Promise<ZoneReply> {
  const startedAt = options.clock.elapsed();
  const first = await new ZoneQuery(name, zone, options, limits).run(startedAt);
  if (!isWithoutDelegation(first)) return first;

  const servers = zone.servers.filter((server) => isOtherServer(server, first.server));
  const now = options.clock.elapsed();
  const remainingMs = limits.timeLimitMs - (now - startedAt);
  const timeLimitMs = Math.min(remainingMs, maxSecondMs);
  const others = { ...zone, servers };
  const second = await new ZoneQuery(name, others, options, { ...limits, timeLimitMs }).run(now);
  if (second.kind === 'none') return { ...first, isUnconfirmed: limits.confirmAbsence === true };

  // The name exists if one of them has records of it.
  const hasLess =
    second.kind === 'nxdomain' || (first.kind === 'hosted' && second.kind === 'nodata');
  return hasLess ? first : second;
}

function isWithoutDelegation(
  reply: ZoneReply,
): reply is Extract<ZoneReply, { readonly server: DnsServer }> {
  return reply.kind === 'nxdomain' || reply.kind === 'nodata' || reply.kind === 'hosted';
}

/**
 * Returns whether two addresses are of different name servers. Two names with one address are one
 * server, and so are two addresses of one name. Without names, each address is a server.
 */
function isOtherServer(one: DnsServer, other: DnsServer): boolean {
  const isSameAddress = one.address === other.address && one.port === other.port;
  return !isSameAddress && (one.host === undefined || one.host !== other.host);
}

class ZoneQuery {
  readonly #name: string;
  readonly #zone: Zone;
  readonly #options: ZoneQueryOptions;
  readonly #limits: ZoneQueryLimits;
  /** By `clock.elapsed()`. */
  #deadline = -Infinity;
  readonly #failures = new Set<Failure>();
  /** The transport with which the last attempt at each server began. */
  readonly #transports = new Map<DnsServer, Transport>();
  /** What each server replied over UDP; `timeout` until it does. */
  readonly #overUdp = new Map<DnsServer, string>();
  /** Ends all attempts when one has an answer, or the caller is gone. */
  readonly #end = new AbortController();
  #isReached = false;

  constructor(name: string, zone: Zone, options: ZoneQueryOptions, limits: ZoneQueryLimits) {
    this.#name = name;
    this.#zone = zone;
    this.#options = options;
    this.#limits = limits;
    abortWith(this.#end, limits.signal);
  }

  /**
   * Queries servers in turn: the next one when one has failed, or has taken a quarter of the time.
   * The second attempt at a server uses the other transport: a server that limits its rate drops
   * answers over UDP, and repeated queries keep it over the limit.
   */
  async run(startedAt: number): Promise<ZoneReply> {
    this.#deadline = startedAt + this.#limits.timeLimitMs;
    let now = startedAt;
    const candidates = this.#options.health.order(this.#zone.servers);
    const rotation = candidates.splice(0, serversPerRound);
    const pending = new Set<Promise<Attempt>>();
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      const next = this.#nextRoutable(rotation) ?? this.#nextRoutable(candidates);
      if (!next || now >= this.#deadline || this.#limits.signal.aborted) break;

      const [server, transport] = next;
      pending.add(this.#attempt(server, transport, now));
      const first = await this.#firstOf(pending, this.#limits.timeLimitMs / maxAttempts);
      if (first && isConclusive(first.reply)) return this.#conclude(first.server, first.reply);

      // A packet may have been lost. After other failures, another server takes its place.
      const lost = first ? first.reply.kind === 'timeout' && first.server : server;
      const repeated = lost || candidates.shift();
      if (repeated) rotation.push(repeated);
      now = this.#options.clock.elapsed();
    }

    while (pending.size > 0) {
      const first = await this.#firstOf(pending, maxExchangeMs);
      if (first && isConclusive(first.reply)) return this.#conclude(first.server, first.reply);
    }

    return { kind: 'none', failures: this.#failures, isReached: this.#isReached };
  }

  #conclude(server: DnsServer, reply: ConclusiveReply): ZoneReply {
    // Without a reason, an exception with a stack trace would be created for each name.
    this.#end.abort(answered);
    return { ...reply, server, isReached: true };
  }

  /** Removes and returns the first attempt that ends; undefined if none does in time. */
  async #firstOf(pending: Set<Promise<Attempt>>, ms: number): Promise<Attempt | undefined> {
    const { clock } = this.#options;
    const ends = Array.from(pending, async (attempt) => ({ attempt, result: await attempt }));
    const first = await withTimeLimit(Promise.race(ends), { clock, ms });
    if (first) pending.delete(first.attempt);
    return first?.result;
  }

  /** Queries one server, and records how it answers. */
  async #attempt(server: DnsServer, first: Transport, startedAt: number): Promise<Attempt> {
    const { health } = this.#options;
    const last = this.#transports.get(server);
    const start = last === undefined ? first : otherTransports[last];
    this.#transports.set(server, start);

    const { reply, transport } = await this.#queryServer(server, start, startedAt);
    if (isConclusive(reply))
      health.recordAnswer(server, transport, this.#isLostOverUdp(server, reply));
    else if (!this.#end.signal.aborted) {
      this.#failures.add(reply.kind);
      health.recordFailure(server, reply.kind);
    }

    return { server, reply };
  }

  /** Returns whether a server did not answer over UDP. A delegation may be too long for UDP. */
  #isLostOverUdp(server: DnsServer, { kind }: ConclusiveReply): boolean {
    const overUdp = this.#overUdp.get(server);
    return overUdp !== undefined && !(overUdp === 'truncated' && kind === 'delegated');
  }

  /** Removes and returns the next server that packets can be routed to, with its transport. */
  #nextRoutable(servers: DnsServer[]): [DnsServer, Transport] | undefined {
    for (let next = servers.shift(); next; next = servers.shift()) {
      const transport = this.#options.health.transportOf(next);
      if (transport) return [next, transport];
      this.#failures.add('unroutable');
    }
    return undefined;
  }

  /**
   * Queries one server, and repeats the query over the other transport or without OPT if the server
   * requires it, each at most once.
   */
  async #queryServer(server: DnsServer, start: Transport, startedAt: number): Promise<ServerReply> {
    let transport = start;
    let now = startedAt;
    let hasEdns = true;
    for (;;) {
      if (transport === 'udp') this.#overUdp.set(server, 'timeout');
      const result = await this.#send(server, transport, hasEdns, now);
      this.#isReached ||= 'message' in result;

      const reply =
        'message' in result
          ? classifyMessage(result.message, this.#queried(hasEdns))
          : { kind: result.failure };
      if (transport === 'udp') this.#overUdp.set(server, reply.kind);

      if (transport === start && needsOtherTransport(reply.kind, transport))
        transport = otherTransports[transport];
      else if (reply.kind === 'no_edns') hasEdns = false;
      else return { reply, transport };

      now = this.#options.clock.elapsed();
    }
  }

  #send(
    server: DnsServer,
    transport: Transport,
    hasEdns: boolean,
    now: number,
  ): Promise<ExchangeResult> {
    const timeoutMs = Math.max(0, Math.min(maxExchangeMs, this.#deadline - now));
    const query = encodeQuery(this.#name, hasEdns);
    return this.#options.exchange(transport, server, query, {
      timeoutMs,
      signal: this.#end.signal,
    });
  }

  #queried(hasEdns: boolean) {
    const { name: zone, soaOwners } = this.#zone;
    return { name: this.#name, zone, soaOwners, hasEdns };
  }
}

const otherTransports = { udp: 'tcp', tcp: 'udp' } as const;

function needsOtherTransport(kind: string, transport: Transport): boolean {
  return (
    kind === 'closed' || (transport === 'udp' && (kind === 'truncated' || kind === 'other_case'))
  );
}

const conclusiveKinds: ReadonlySet<string> = new Set<ConclusiveReply['kind']>([
  'delegated',
  'hosted',
  'nxdomain',
  'nodata',
  'alias',
  'zone_cut',
]);

function isConclusive(reply: { readonly kind: string }): reply is ConclusiveReply {
  return conclusiveKinds.has(reply.kind);
}
