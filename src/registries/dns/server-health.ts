import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';
import type { Clock } from '../../clock.ts';
import type { InconclusiveReply } from './classify-message.ts';
import type { DnsServer, ExchangeFailure } from './transport.ts';

/** How long a server that failed is used only if the others fail too. */
const avoidMs = 5 * 60_000;
/** How long a server that answered is preferred. */
const preferMs = 5 * 60_000;
const unroutableMs = 5 * 60_000;
const maxServers = 10_000;

interface ServerState {
  readonly works: boolean;
  /** By `clock.elapsed()`. */
  readonly at: number;
}

/** Remembers which servers answered recently, and whether IPv6 works. */
export class ServerHealth {
  readonly #clock: Clock;
  readonly #states = new LRUCache<string, ServerState>(atMost(maxServers));
  /** By `clock.elapsed()`. */
  #ipv6UnroutableUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the servers in the order in which to query them: at random, but those that answered
   * recently first and those that failed recently last. The first two have different names if
   * possible.
   */
  order(servers: readonly DnsServer[]): DnsServer[] {
    const rankOf = (server: DnsServer) => ({ server, rank: this.#rankOf(server) });
    const ordered = shuffled(servers)
      .map(rankOf)
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ server }) => server);
    const [first] = ordered;
    const index = ordered.findIndex(({ host }) => host !== first?.host);
    if (index > 1) ordered.splice(1, 0, ...ordered.splice(index, 1));
    return ordered;
  }

  /** Returns whether packets to the server can be routed. */
  isRoutable({ address }: DnsServer): boolean {
    return !isIPv6(address) || this.#clock.elapsed() >= this.#ipv6UnroutableUntil;
  }

  recordAnswer(server: DnsServer): void {
    this.#record(server, true);
  }

  /** Records that a server did not answer, or does not serve the zone. */
  recordFailure(server: DnsServer, failure: ExchangeFailure | InconclusiveReply['kind']): void {
    if (failure === 'aborted') return;
    if (failure === 'unroutable' && isIPv6(server.address))
      this.#ipv6UnroutableUntil = this.#clock.elapsed() + unroutableMs;
    else this.#record(server, false);
  }

  #record({ address, port }: DnsServer, works: boolean): void {
    this.#states.set(`${address} ${port}`, { works, at: this.#clock.elapsed() });
  }

  #rankOf({ address, port }: DnsServer): number {
    const state = this.#states.get(`${address} ${port}`);
    const ageMs = this.#clock.elapsed() - (state?.at ?? -Infinity);
    if (state?.works) return ageMs < preferMs ? 0 : 1;
    return state && ageMs < avoidMs ? 2 : 1;
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, position: Math.random() }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ item }) => item);
}
