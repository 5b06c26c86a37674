import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { atMostFor } from '../../shared/lru.ts';
import type { InconclusiveReply } from './message.ts';
import type { DnsServer, ExchangeFailure, Transport } from './transport.ts';
import { random, type Chance } from '../chance.ts';

/** How long an answer or a failure of a server counts. */
const memoryMs = 5 * 60_000;
const maxServers = 10_000;

/** Remembers which servers answered recently and over which transport, and whether IPv6 works. */
export class ServerHealth {
  /** Whether a server answered. One that answered is preferred, one that failed comes last. */
  readonly #works: LRUCache<string, boolean>;
  /** The servers that answer over TCP only, and are not queried over UDP. */
  readonly #overTcp: LRUCache<string, true>;
  readonly #clock: Clock;
  readonly #positionOf: (address: string) => number;
  /** By `clock.elapsed()`. */
  #ipv6UnroutableUntil = -Infinity;

  constructor(clock: Clock, { position }: Chance = random) {
    this.#works = new LRUCache(atMostFor(maxServers, memoryMs, clock));
    this.#overTcp = new LRUCache(atMostFor(maxServers, memoryMs, clock));
    this.#clock = clock;
    this.#positionOf = position;
  }

  /**
   * Returns the servers in the order in which to query them: at random, but those that answered
   * recently first and those that failed recently last. The first two have different names if
   * possible.
   */
  order(servers: readonly DnsServer[]): DnsServer[] {
    const ordered = servers
      .map((server) => ({
        server,
        position: this.#rankOf(server) + this.#positionOf(keyOf(server)),
      }))
      .toSorted((a, b) => a.position - b.position)
      .map(({ server }) => server);
    const [first] = ordered;
    const index = ordered.findIndex(({ host }) => host !== first?.host);
    if (index > 1) ordered.splice(1, 0, ...ordered.splice(index, 1));

    return ordered;
  }

  /**
   * Returns the transport over which to query a server first; undefined if packets to it cannot be
   * routed.
   */
  transportOf(server: DnsServer): Transport | undefined {
    if (isIPv6(server.address) && this.#clock.elapsed() < this.#ipv6UnroutableUntil)
      return undefined;
    return this.#overTcp.has(keyOf(server)) ? 'tcp' : 'udp';
  }

  /** Records an answer. `isLostOverUdp`: the server did not give it over UDP before. */
  recordAnswer(server: DnsServer, transport: Transport, isLostOverUdp: boolean): void {
    const key = keyOf(server);
    this.#works.set(key, true);
    if (transport === 'udp') this.#overTcp.delete(key);
    else if (isLostOverUdp) this.#overTcp.set(key, true);
  }

  /** Records that a server did not answer, or does not serve the zone. */
  recordFailure(server: DnsServer, failure: ExchangeFailure | InconclusiveReply['kind']): void {
    if (failure === 'aborted') return;
    if (failure === 'unroutable' && isIPv6(server.address))
      this.#ipv6UnroutableUntil = this.#clock.elapsed() + memoryMs;
    else this.#works.set(keyOf(server), false);
  }

  /** Returns a whole number; the lowest is the best. */
  #rankOf(server: DnsServer): number {
    const works = this.#works.get(keyOf(server));
    if (works === undefined) return 1;
    return works ? 0 : 2;
  }
}

function keyOf({ address, port }: DnsServer): string {
  return `${address} ${port}`;
}
