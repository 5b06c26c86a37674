import type { Clock } from '../../../src/clock.ts';

/** What a kind of server received. */
export interface Received {
  readonly total: number;
  /** The host that received the most, and its number. */
  readonly busiest: { readonly host: string; readonly total: number };
  /** The most that one host received in any minute. */
  readonly mostPerMinute: number;
  /** Lookups of names that nobody searched for: canaries, controls. */
  readonly background: number;
  /** Those of TLDs that nobody had searched in the 15 minutes before. */
  readonly unused: number;
  readonly byHost: Readonly<Record<string, number>>;
}

const unusedMs = 15 * 60_000;

/** Counts requests by host. */
export class Tally {
  readonly #clock: Clock;
  readonly #byHost = new Map<string, number>();
  readonly #byMinute = new Map<string, number>();
  readonly #searchedAt = new Map<string, number>();
  readonly #labels = new Set<string>();
  #background = 0;
  #unused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that somebody searches for a label under TLDs. */
  recordSearch(label: string, tlds: readonly string[]): void {
    this.#labels.add(label);
    for (const tld of tlds) this.#searchedAt.set(tld, this.#clock.now());
  }

  record(host: string, name: string): void {
    const now = this.#clock.now();
    const minute = `${host} ${Math.floor(now / 60_000)}`;
    increment(this.#byHost, host);
    increment(this.#byMinute, minute);
    const [label = '', tld = ''] = name.split('.');
    if (this.#labels.has(label)) return;
    this.#background += 1;
    if (now - (this.#searchedAt.get(tld) ?? -Infinity) > unusedMs) this.#unused += 1;
  }

  received(): Received {
    const hosts = Array.from(this.#byHost).toSorted(([, a], [, b]) => b - a);
    const [host = '', total = 0] = hosts[0] ?? [];
    return {
      total: hosts.reduce((sum, [, count]) => sum + count, 0),
      busiest: { host, total },
      mostPerMinute: Math.max(0, ...this.#byMinute.values()),
      background: this.#background,
      unused: this.#unused,
      byHost: Object.fromEntries(hosts),
    };
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
