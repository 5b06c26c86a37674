import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { watchAccount } from '../../domain/source.ts';

/** The requests of about ten minutes. */
export interface SentRequests {
  /** When the last one was sent; epoch ms. */
  readonly lastAt: number;
  /** Requests by the hash of the account: not integers if they are a share of a cluster's. */
  readonly counts: Readonly<Record<string, number>>;
}

interface CurrentRequests extends SentRequests {
  readonly startedAt: number;
  lastAt: number;
  readonly counts: Record<string, number>;
}

/** What each account may use in any case, and what is reserved for accounts that used nothing. */
const minShare = 0.1;
const intervalMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Shares the requests that a host allows in any 24 hours between accounts. An account may use a
 * tenth of them, or as many as are left, whichever is more: the first one gets at most half. The
 * last tenth is for accounts that have used none, one request each. (A token bucket would allow
 * twice as many on the first day.)
 */
export class DailyAllowance {
  readonly #perDay: number;
  readonly #watchShare: number;
  readonly #clock: Clock;
  readonly #onSent: () => void;
  /** The requests of earlier processes, oldest first. */
  readonly #earlier: readonly SentRequests[];
  #own: CurrentRequests[] = [];

  constructor(
    perDay: number,
    clock: Clock,
    onSent: () => void = () => {},
    earlier: readonly SentRequests[] = [],
    watchShare = 0.25,
  ) {
    this.#watchShare = watchShare;
    this.#perDay = perDay;
    this.#clock = clock;
    this.#onSent = onSent;
    this.#earlier = earlier;
  }

  /** The requests that this process has sent in the last 24 hours. */
  get own(): readonly SentRequests[] {
    return this.#own
      .filter((sent) => isRecent(sent, this.#clock.now()))
      .map(({ lastAt, counts }) => ({ lastAt, counts }));
  }

  /** The share of the allowance that is used, from 0 to 1. */
  get usedShare(): number {
    const used = this.#recent().reduce((sum, sent) => sum + totalOf(sent), 0);
    return Math.min(used / this.#perDay, 1);
  }

  /** Returns when the account may send a request, in epoch ms; undefined if it may now. */
  allowedAt(account: string): number | undefined {
    const key = keyOf(account);
    const recent = this.#recent();
    let used = recent.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0);
    let left = this.#perDay - recent.reduce((sum, sent) => sum + totalOf(sent), 0);
    let allowedAt: number | undefined;
    for (const sent of recent) {
      if (this.#allows(used, left, account === watchAccount)) break;
      used -= sent.counts[key] ?? 0;
      left += totalOf(sent);
      allowedAt = sent.lastAt + dayMs;
    }

    return allowedAt;
  }

  /** Counts a request that is sent now. */
  record(account: string): void {
    const now = this.#clock.now();
    let current = this.#own.at(-1);
    if (!current || Math.abs(now - current.startedAt) >= intervalMs) {
      current = { startedAt: now, lastAt: now, counts: {} };
      this.#own = [...this.#own.filter((sent) => isRecent(sent, now)), current];
    }

    const key = keyOf(account);
    current.lastAt = now;
    current.counts[key] = (current.counts[key] ?? 0) + 1;
    this.#onSent();
  }

  #allows(used: number, left: number, isWatch: boolean): boolean {
    if (isWatch && used >= Math.floor(this.#perDay * this.#watchShare)) return false;
    if (used < 1) return left >= 1;
    const share = this.#perDay * minShare;
    return left >= Math.floor(share) + 1 && (used < share || used < left);
  }

  #recent(): readonly SentRequests[] {
    const now = this.#clock.now();
    return [...this.#earlier, ...this.#own].filter((sent) => isRecent(sent, now));
  }
}

/**
 * Returns whether requests count at `now` (epoch ms). Those of more than a day ahead were sent
 * before the clock was set back.
 */
export function isRecent({ lastAt }: SentRequests, now: number): boolean {
  return Math.abs(now - lastAt) < dayMs;
}

/**
 * Returns a hash of an account, which may be an address: at 24 bits, it has hundreds of preimages
 * among the IPv4 addresses. Two accounts with the same hash share one part of the allowance.
 */
function keyOf(account: string): string {
  return createHash('sha256').update(account).digest('hex').slice(0, 6);
}

function totalOf({ counts }: SentRequests): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
