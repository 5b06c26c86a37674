import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { atMost } from '../../shared/lru.ts';
import type { InconclusiveReply } from './message.ts';
import type { DnsServer, ExchangeFailure, Transport } from './transport.ts';

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

  /** Returns a whole number; the lowest is the best. */
  #rankOf({ address, port }: DnsServer): number {
    const state = this.#states.get(`${address} ${port}`);
    const ageMs = this.#clock.elapsed() - (state?.at ?? -Infinity);
    if (state?.works) return ageMs < preferMs ? 0 : 1;
    return state && ageMs < avoidMs ? 2 : 1;
  }
}

/** Consecutive lookups without any reply after which a transport is considered blocked. */
const maxSilent = 3;
/** How long lookups are answered at once while both transports are blocked. */
const retryMs = 60_000;
/** How long TCP is used before UDP is tried again. */
const tcpMs = 10 * 60_000;

/** More than there are TLDs. */
const maxZones = 2000;

/**
 * Detects networks that block port 53: after three consecutive lookups without a reply over UDP, TCP
 * is used; after three more over TCP, DNS is considered unreachable. One lookup per minute then tries
 * again, over UDP and over TCP in turn. If any zone has ever replied, only the silence of such zones
 * counts, in at least two of them: a client may look up names of zones that never reply.
 */
export class Reachability {
  readonly #clock: Clock;
  readonly #log: Log;
  #transport: Transport = 'udp';
  /** Epoch ms; undefined while DNS is reachable. */
  #unreachableSince: number | undefined;
  /** When the current state ends, by `clock.elapsed()`. */
  #until = Infinity;
  /** The zones that have replied. */
  readonly #zones: Record<Transport, LRUCache<string, true>> = {
    udp: new LRUCache(atMost(maxZones)),
    tcp: new LRUCache(atMost(maxZones)),
  };
  /** The zones of the last consecutive lookups without a reply. */
  readonly #silent: Record<Transport, string[]> = { udp: [], tcp: [] };

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** When DNS became unreachable, if it still is; epoch ms. */
  get unreachableSince(): number | undefined {
    return this.#unreachableSince;
  }

  get isReachable(): boolean {
    return this.#unreachableSince === undefined;
  }

  /** Returns whether a lookup may be sent. While DNS is unreachable, that is one per minute. */
  admit(): boolean {
    if (this.isReachable) return true;
    const now = this.#clock.elapsed();
    if (now < this.#until) return false;
    this.#until = now + retryMs;
    return true;
  }

  /** The transport of the next lookup. */
  get transport(): Transport {
    if (this.isReachable && this.#transport === 'tcp' && this.#clock.elapsed() >= this.#until)
      // The zones without a reply over UDP are kept, so one more such lookup suffices.
      this.#transport = 'udp';
    return this.#transport;
  }

  /** Records a lookup in which a server replied. */
  recordReply(zone: string, transport: Transport): void {
    this.#zones[transport].set(zone, true);
    this.#silent[transport] = [];
    if (this.isReachable) return;
    this.#unreachableSince = undefined;
    this.#use(transport);
    this.#log.info({ transport }, 'DNS is reachable again.');
  }

  /** Records a lookup in which no server replied. */
  recordSilence(zone: string, transport: Transport): void {
    const zones = this.#zones[transport];
    if (transport !== this.#transport || (zones.size > 0 && !zones.has(zone))) return;
    this.#silent[transport] = [...this.#silent[transport], zone].slice(-maxSilent);
    if (!this.isReachable) this.#recordFailedRetry();
    else if (this.#isBlocked(transport)) this.#leave(transport);
  }

  /**
   * Records that the system resolver could not find the servers of a TLD. Repeated failures for the
   * same TLD count once: it may not exist.
   */
  recordFailedDiscovery(tld: string): void {
    if (!this.isReachable || !this.#silent[this.#transport].includes(tld))
      this.recordSilence(tld, this.#transport);
  }

  #isBlocked(transport: Transport): boolean {
    const silent = this.#silent[transport];
    const minZones = this.#zones[transport].size > 0 ? 2 : 1;
    return silent.length >= maxSilent && new Set(silent).size >= minZones;
  }

  #leave(transport: Transport): void {
    if (transport === 'udp') return this.#use('tcp');
    this.#unreachableSince = this.#clock.now();
    this.#use('udp');
    this.#log.warn(
      'DNS is unreachable over UDP and TCP, so names are looked up without it. Allow outgoing connections to port 53.',
    );
  }

  /** Lets the next lookup try TCP after one over UDP failed; else waits for a minute. */
  #recordFailedRetry(): void {
    const hasTriedUdp = this.#transport === 'udp';
    this.#transport = hasTriedUdp ? 'tcp' : 'udp';
    this.#until = this.#clock.elapsed() + (hasTriedUdp ? 0 : retryMs);
  }

  #use(transport: Transport): void {
    this.#transport = transport;
    if (transport === 'tcp') this.#silent.tcp = [];
    const now = this.#clock.elapsed();
    if (!this.isReachable) this.#until = now + retryMs;
    else this.#until = transport === 'tcp' ? now + tcpMs : Infinity;
  }
}
