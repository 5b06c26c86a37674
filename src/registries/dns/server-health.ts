import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { atMost } from '../../shared/lru.ts';
import type { InconclusiveReply } from './message.ts';
import type { DnsServer, ExchangeFailure, Transport } from './transport.ts';

/** How long a server that failed is used only if the others fail too. */
const avoidMs = 5 * 60_000;
/** How long a server that answered is preferred. */
const preferMs = 5 * 60_000;
const unroutableMs = 5 * 60_000;
/** How long a server that answers over TCP only is not queried over UDP. */
const tcpMs = 5 * 60_000;
const maxServers = 10_000;

interface ServerState {
  readonly works: boolean;
  /** By `clock.elapsed()`. */
  readonly at: number;
}

/** Remembers which servers answered recently and over which transport, and whether IPv6 works. */
export class ServerHealth {
  readonly #clock: Clock;
  readonly #states = new LRUCache<string, ServerState>(atMost(maxServers));
  /** Until when servers are queried over TCP, by `clock.elapsed()`. */
  readonly #tcpUntil = new LRUCache<string, number>(atMost(maxServers));
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
    const ordered = servers
      .map((server) => ({ server, position: this.#rankOf(server) + Math.random() }))
      .toSorted((a, b) => a.position - b.position)
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

  /** Returns the transport over which to query a server first. */
  transportOf(server: DnsServer): Transport {
    const tcpUntil = this.#tcpUntil.get(keyOf(server)) ?? -Infinity;
    return this.#clock.elapsed() < tcpUntil ? 'tcp' : 'udp';
  }

  /** Records an answer. `isLostOverUdp`: the server did not give it over UDP before. */
  recordAnswer(server: DnsServer, transport: Transport, isLostOverUdp: boolean): void {
    this.#record(server, true);
    if (transport === 'udp') this.#tcpUntil.delete(keyOf(server));
    else if (isLostOverUdp) this.#tcpUntil.set(keyOf(server), this.#clock.elapsed() + tcpMs);
  }

  /** Records that a server did not answer, or does not serve the zone. */
  recordFailure(server: DnsServer, failure: ExchangeFailure | InconclusiveReply['kind']): void {
    if (failure === 'aborted') return;
    if (failure === 'unroutable' && isIPv6(server.address))
      this.#ipv6UnroutableUntil = this.#clock.elapsed() + unroutableMs;
    else this.#record(server, false);
  }

  #record(server: DnsServer, works: boolean): void {
    this.#states.set(keyOf(server), { works, at: this.#clock.elapsed() });
  }

  /** Returns a whole number; the lowest is the best. */
  #rankOf(server: DnsServer): number {
    const state = this.#states.get(keyOf(server));
    const ageMs = this.#clock.elapsed() - (state?.at ?? -Infinity);
    if (state?.works) return ageMs < preferMs ? 0 : 1;
    return state && ageMs < avoidMs ? 2 : 1;
  }
}

function keyOf({ address, port }: DnsServer): string {
  return `${address} ${port}`;
}
