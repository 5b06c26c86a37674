import type { Clock } from '../../clock.ts';
import {
  classifyMessage,
  type ConclusiveReply,
  type InconclusiveReply,
} from './classify-message.ts';
import { encodeQuery } from './message.ts';
import type { ServerHealth } from './server-health.ts';
import type {
  DnsServer,
  Exchange,
  ExchangeFailure,
  ExchangeResult,
  Transport,
} from './transport.ts';

/** A zone and its servers. */
export interface Zone {
  readonly name: string;
  readonly servers: readonly DnsServer[];
  /** Owners that the SOA record of its negative answers may have. */
  readonly soaOwners: readonly string[];
}

export interface ZoneQueryOptions {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly health: ServerHealth;
}

export interface ZoneQueryLimits {
  readonly transport: Transport;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

type Failure = ExchangeFailure | InconclusiveReply['kind'];

/** What the servers of a zone replied. `isReached`: at least one replied, in whatever way. */
export type ZoneReply = (
  ConclusiveReply | { readonly kind: 'none'; readonly failures: ReadonlySet<Failure> }
) & { readonly isReached: boolean };

/** Two rounds over two servers. */
const serversPerRound = 2;
const maxAttempts = 4;
/** A TCP connection needs another round trip, so it gets twice the time. */
const maxTcpAttempts = 2;

/**
 * Queries the servers of a zone for the delegation of a name until one of them answers. Never
 * rejects.
 */
export async function queryZone(
  name: string,
  zone: Zone,
  options: ZoneQueryOptions,
  limits: ZoneQueryLimits,
): Promise<ZoneReply> {
  return new ZoneQuery(name, zone, options, limits).run();
}

class ZoneQuery {
  readonly #name: string;
  readonly #zone: Zone;
  readonly #options: ZoneQueryOptions;
  readonly #limits: ZoneQueryLimits;
  /** By `clock.elapsed()`. */
  readonly #deadline: number;
  readonly #failures = new Set<Failure>();
  #isReached = false;

  constructor(name: string, zone: Zone, options: ZoneQueryOptions, limits: ZoneQueryLimits) {
    this.#name = name;
    this.#zone = zone;
    this.#options = options;
    this.#limits = limits;
    this.#deadline = options.clock.elapsed() + limits.timeLimitMs;
  }

  async run(): Promise<ZoneReply> {
    const { health } = this.#options;
    const candidates = health.order(this.#zone.servers);
    const rotation = candidates.splice(0, serversPerRound);
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      const server = this.#nextRoutable(rotation) ?? this.#nextRoutable(candidates);
      if (!server || this.#remainingMs <= 0 || this.#limits.signal.aborted) break;
      const reply = await this.#queryServer(server);
      if (isConclusive(reply)) {
        health.recordAnswer(server);
        return { ...reply, isReached: true };
      }
      this.#failures.add(reply.kind);
      health.recordFailure(server, isExchangeFailure(reply.kind) ? reply.kind : 'unusable');
      // A packet may have been lost. After other failures, another server takes its place.
      const next = reply.kind === 'timeout' ? server : candidates.shift();
      if (next) rotation.push(next);
    }
    return { kind: 'none', failures: this.#failures, isReached: this.#isReached };
  }

  get #remainingMs(): number {
    return this.#deadline - this.#options.clock.elapsed();
  }

  #nextRoutable(servers: DnsServer[]): DnsServer | undefined {
    for (let next = servers.shift(); next; next = servers.shift()) {
      if (this.#options.health.isRoutable(next)) return next;
      this.#failures.add('unroutable');
    }
    return undefined;
  }

  /**
   * Queries one server, and repeats the query over TCP or without OPT if the server requires it,
   * each at most once.
   */
  async #queryServer(server: DnsServer): Promise<ConclusiveReply | { readonly kind: Failure }> {
    let { transport } = this.#limits;
    let hasEdns = true;
    for (;;) {
      const result = await this.#send(server, transport, hasEdns);
      this.#isReached ||= 'message' in result;
      const reply =
        'message' in result
          ? classifyMessage(result.message, this.#queried(hasEdns))
          : { kind: result.failure };
      const needsTcp = reply.kind === 'truncated' || reply.kind === 'other_case';
      if (needsTcp && transport === 'udp') transport = 'tcp';
      else if (reply.kind === 'no_edns') hasEdns = false;
      else return reply;
    }
  }

  #send(server: DnsServer, transport: Transport, hasEdns: boolean): Promise<ExchangeResult> {
    const { timeLimitMs, signal } = this.#limits;
    const attempts = transport === 'tcp' ? maxTcpAttempts : maxAttempts;
    const timeoutMs = Math.max(0, Math.min(timeLimitMs / attempts, this.#remainingMs));
    const query = encodeQuery(this.#name, hasEdns);
    return this.#options.exchange(transport, server, query, { timeoutMs, signal });
  }

  #queried(hasEdns: boolean) {
    const { name: zone, soaOwners } = this.#zone;
    return { name: this.#name, zone, soaOwners, hasEdns };
  }
}

const conclusiveKinds: ReadonlySet<string> = new Set<ConclusiveReply['kind']>([
  'delegated',
  'nxdomain',
  'nodata',
  'alias',
  'zone_cut',
]);

function isConclusive(reply: { readonly kind: string }): reply is ConclusiveReply {
  return conclusiveKinds.has(reply.kind);
}

const exchangeFailures: ReadonlySet<string> = new Set<ExchangeFailure>([
  'timeout',
  'other_case',
  'closed',
  'unroutable',
  'aborted',
]);

function isExchangeFailure(kind: Failure): kind is ExchangeFailure {
  return exchangeFailures.has(kind);
}
