import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/lru.ts';
import type { InconclusiveReply } from './message.ts';
import type { DnsServer, ExchangeFailure, Transport } from './transport.ts';
import { random, type Chance } from '../chance.ts';

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
  readonly at: number;
}

/** Remembers which servers answered recently and over which transport, and whether IPv6 works. Times are by `clock.elapsed()`. */
export class ServerHealth {
  readonly #states = new LRUCache<string, ServerState>(atMost(maxServers));
  /** Until when servers are queried over TCP. */
  readonly #tcpUntil = new LRUCache<string, number>(atMost(maxServers));
  readonly #positionOf: (address: string) => number;
  #ipv6UnroutableUntil = -Infinity;

  constructor({ position }: Chance = random) {
    this.#positionOf = position;
  }

  /**
   * Returns the servers in the order in which to query them: at random, but those that answered
   * recently first and those that failed recently last. The first two have different names if
   * possible.
   */
  order(servers: readonly DnsServer[], now: number): DnsServer[] {
    const ordered = servers
      .map((server) => ({
        server,
        position: this.#rankOf(server, now) + this.#positionOf(keyOf(server)),
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
  transportOf(server: DnsServer, now: number): Transport | undefined {
    if (isIPv6(server.address) && now < this.#ipv6UnroutableUntil) return undefined;
    const tcpUntil = this.#tcpUntil.get(keyOf(server)) ?? -Infinity;
    return now < tcpUntil ? 'tcp' : 'udp';
  }

  /** Records an answer. `isLostOverUdp`: the server did not give it over UDP before. */
  recordAnswer(server: DnsServer, transport: Transport, isLostOverUdp: boolean, now: number): void {
    this.#record(server, true, now);
    if (transport === 'udp') this.#tcpUntil.delete(keyOf(server));
    else if (isLostOverUdp) this.#tcpUntil.set(keyOf(server), now + tcpMs);
  }

  /** Records that a server did not answer, or does not serve the zone. */
  recordFailure(
    server: DnsServer,
    failure: ExchangeFailure | InconclusiveReply['kind'],
    now: number,
  ): void {
    if (failure === 'aborted') return;
    if (failure === 'unroutable' && isIPv6(server.address))
      this.#ipv6UnroutableUntil = now + unroutableMs;
    else this.#record(server, false, now);
  }

  #record(server: DnsServer, works: boolean, now: number): void {
    this.#states.set(keyOf(server), { works, at: now });
  }

  /** Returns a whole number; the lowest is the best. */
  #rankOf(server: DnsServer, now: number): number {
    const state = this.#states.get(keyOf(server));
    const ageMs = now - (state?.at ?? -Infinity);
    if (state?.works) return ageMs < preferMs ? 0 : 1;
    return state && ageMs < avoidMs ? 2 : 1;
  }
}

function keyOf({ address, port }: DnsServer): string {
  return `${address} ${port}`;
}
