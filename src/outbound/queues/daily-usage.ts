import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KeyValueStore } from '../../shared/key-value-store.ts';
import { DailyAllowance, isRecent, type SentRequests } from './daily-allowance.ts';

interface DailyUsageOptions {
  readonly store: Omit<KeyValueStore, 'putIfAbsent'>;
  /** The number of nodes that use the store and share the daily allowances. */
  readonly nodes: number;
  readonly clock: Clock;
  readonly log: Log;
}

const keyPrefix = 'daily:';
/** A killed process loses the requests of this time. */
const writeDelayMs = 5000;

/**
 * Holds the daily allowance of each host, and stores what was used of it. Each process stores only
 * the requests that it sent. At its start, it counts its share of those that are stored, so that
 * restarted nodes send no more together than the host allows.
 */
export class DailyUsage {
  readonly #options: DailyUsageOptions;
  readonly #process = randomUUID();
  readonly #earlier = new Map<string, readonly SentRequests[]>();
  readonly #allowances = new Map<string, DailyAllowance>();
  readonly #unwritten = new Set<string>();
  #cancelWrite: (() => void) | undefined;

  constructor(options: DailyUsageOptions) {
    this.#options = options;
  }

  /** Reads the requests of earlier processes. Never rejects. */
  async start(): Promise<void> {
    const { store, log } = this.#options;
    try {
      for (const [key, value] of await store.read(keyPrefix)) await this.#load(key, value);
    } catch (error) {
      log.error(
        { err: error },
        'Failed to read the daily use of registries, which now counts from 0. Check the store.',
      );
    }
  }

  /** Returns the allowance of a host, always the same one. */
  allowanceOf(origin: string, perDay: number, watchShare?: number): DailyAllowance {
    const existing = this.#allowances.get(origin);
    if (existing) return existing;

    const onSent = () => this.#scheduleWrite(origin);
    const earlier = this.#earlier.get(origin);
    const allowance = new DailyAllowance(perDay, this.#options.clock, onSent, earlier, watchShare);
    this.#allowances.set(origin, allowance);

    return allowance;
  }

  /** Stores what was sent since the last write. Never rejects. */
  async stop(): Promise<void> {
    this.#cancelWrite?.();
    await this.#write();
  }

  async #load(key: string, value: string): Promise<void> {
    const { store, clock, nodes } = this.#options;
    const stored = JSON.parse(value) as readonly SentRequests[];
    const recent = stored.filter((sent) => isRecent(sent, clock.now()));
    if (recent.length === 0) return store.deleteIf(key, value);

    const [origin = ''] = key.slice(keyPrefix.length).split(' ');
    const all = [
      ...(this.#earlier.get(origin) ?? []),
      ...recent.map((sent) => divide(sent, nodes)),
    ];

    this.#earlier.set(
      origin,
      all.toSorted((a, b) => a.lastAt - b.lastAt),
    );
  }

  #scheduleWrite(origin: string): void {
    this.#unwritten.add(origin);
    this.#cancelWrite ??= this.#options.clock.after(writeDelayMs, () => void this.#write());
  }

  async #write(): Promise<void> {
    const { store, log } = this.#options;
    this.#cancelWrite = undefined;
    const origins = Array.from(this.#unwritten);

    this.#unwritten.clear();
    const puts = origins.map((origin) => {
      const own = this.#allowances.get(origin)?.own;
      return store.put(`${keyPrefix}${origin} ${this.#process}`, JSON.stringify(own));
    });
    for (const result of await Promise.allSettled(puts))
      if (result.status === 'rejected')
        log.error(
          { err: result.reason },
          'Failed to store the daily use of a registry. It is lost at restart. Check the store.',
        );
  }
}

function divide({ lastAt, counts }: SentRequests, nodes: number): SentRequests {
  const shares = Object.entries(counts).map(([account, count]) => [account, count / nodes]);
  return { lastAt, counts: Object.fromEntries(shares) };
}
