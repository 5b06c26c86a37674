import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { atMost } from '../../shared/lru.ts';

/** Consecutive lookups without any reply after which the DNS is considered unreachable. */
const maxSilent = 3;
/** How often a lookup is sent although the DNS is unreachable. */
const retryMs = 60_000;
/** More than there are TLDs. */
const maxZones = 2000;

interface ZoneState {
  readonly hasReplied: boolean;
  /** The last lookup had no reply. */
  readonly isSilent: boolean;
}

/**
 * Detects networks that block port 53: after three consecutive lookups without a reply over UDP and
 * TCP, the DNS is considered unreachable, and one lookup per minute tries again. If any zone has ever
 * replied, only the silence of such zones counts, in at least two of them: a client may look up names
 * of zones that never reply. Only the zones that were silent are then affected.
 */
export class Reachability {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Epoch ms; undefined while DNS is reachable. */
  #unreachableSince: number | undefined;
  /** By `clock.elapsed()`, like the next one. */
  #retryAt = Infinity;
  #repliedAt = -Infinity;
  readonly #zones = new LRUCache<string, ZoneState>(atMost(maxZones));
  /** The zones of the last consecutive lookups without a reply. */
  #silent: readonly string[] = [];

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

  /**
   * Returns whether a lookup may be sent in the first of these zones that is known. While DNS is
   * unreachable, the silent zones have one lookup per minute, and so have all if none ever replied.
   */
  admit(zones: readonly string[]): boolean {
    if (this.isReachable) return true;

    const known = zones.map((zone) => this.#zones.get(zone)).find((state) => state !== undefined);
    if (this.#hasAnyReplied && !known?.isSilent) return true;

    const now = this.#clock.elapsed();
    if (now < this.#retryAt) return false;

    this.#retryAt = now + retryMs;
    return true;
  }

  /** Records a lookup in which a server replied. */
  recordReply(zone: string): void {
    this.#zones.set(zone, { hasReplied: true, isSilent: false });
    this.#repliedAt = this.#clock.elapsed();
    this.#silent = [];
    if (this.isReachable) return;
    this.#unreachableSince = undefined;
    this.#log.info('DNS is reachable again.');
  }

  /** Records a lookup in which no server replied. `startedAt`: by `clock.elapsed()`. */
  recordSilence(zone: string, startedAt: number): void {
    const hasReplied = this.#zones.get(zone)?.hasReplied === true;
    this.#zones.set(zone, { hasReplied, isSilent: true });

    // Another zone replied meanwhile, so the network is not the cause.
    if (!this.isReachable || this.#repliedAt >= startedAt) return;
    if (this.#hasAnyReplied && !hasReplied) return;

    this.#silent = [...this.#silent, zone].slice(-maxSilent);
    if (this.#isBlocked()) this.#recordUnreachable();
  }

  /**
   * Records that the system resolver could not find the servers of a TLD. Repeated failures for the
   * same TLD count once: it may not exist.
   */
  recordFailedDiscovery(tld: string): void {
    if (!this.#silent.includes(tld)) this.recordSilence(tld, this.#clock.elapsed());
  }

  get #hasAnyReplied(): boolean {
    return this.#repliedAt > -Infinity;
  }

  #isBlocked(): boolean {
    const minZones = this.#hasAnyReplied ? 2 : 1;
    return this.#silent.length >= maxSilent && new Set(this.#silent).size >= minZones;
  }

  #recordUnreachable(): void {
    this.#unreachableSince = this.#clock.now();
    this.#retryAt = this.#clock.elapsed() + retryMs;
    this.#log.warn(
      'DNS is unreachable over UDP and TCP, so names are looked up without it. Allow outgoing connections to port 53.',
    );
  }
}
