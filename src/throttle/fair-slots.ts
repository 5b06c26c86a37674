import type { Clock } from '../clock.ts';

/** On whose behalf a slot is used. */
export interface SlotRequest {
  readonly account: string;
  readonly signal: AbortSignal;
  /** Latest time of the start, in epoch ms. It may become later while the request waits. */
  readonly queueDeadline: number;
}

interface FairSlotsOptions {
  readonly maxInFlight: number;
  /** Slots of one key; unlimited by default. */
  readonly maxPerKey?: number;
  readonly clock: Clock;
}

interface Waiter {
  readonly key: string;
  readonly settle: (started: boolean) => void;
}

/**
 * Shares a limited number of slots between accounts. An account may have at most as many as are
 * free, so that other accounts can always start something. Further requests are queued round-robin
 * by account until their queue deadline. A key with all its slots in use delays only its own
 * requests. Accounts and keys without requests use no memory.
 */
export class FairSlots {
  readonly #clock: Clock;
  readonly #maxPerKey: number;
  readonly #byAccount = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  /** In round-robin order: the account that started a request most recently is last. */
  readonly #waitersByAccount = new Map<string, Set<Waiter>>();
  #free: number;

  constructor({ maxInFlight, maxPerKey = Infinity, clock }: FairSlotsOptions) {
    this.#free = maxInFlight;
    this.#maxPerKey = maxPerKey;
    this.#clock = clock;
  }

  /** The number of accounts and keys in memory. */
  get size(): number {
    return this.#byAccount.size + this.#byKey.size + this.#waitersByAccount.size;
  }

  /**
   * Waits for a slot. Returns a function that releases it, to be called once; undefined if the
   * request is aborted or its `queueDeadline` passes before.
   */
  async acquire(request: SlotRequest, key = ''): Promise<(() => void) | undefined> {
    const { account } = request;
    if (request.signal.aborted) return undefined;
    const isFirst = !this.#hasWaiter(account, key);
    if (isFirst && this.#hasCapacity(account, key)) this.#count(account, key, 1);
    else if (!(await this.#wait(request, key))) return undefined;
    return () => {
      this.#count(account, key, -1);
      this.#startNext();
    };
  }

  #hasWaiter(account: string, key: string): boolean {
    const waiters = this.#waitersByAccount.get(account);
    return waiters !== undefined && Array.from(waiters).some((waiter) => waiter.key === key);
  }

  #hasCapacity(account: string, key: string): boolean {
    return (
      (this.#byAccount.get(account) ?? 0) < this.#free &&
      (this.#byKey.get(key) ?? 0) < this.#maxPerKey
    );
  }

  #count(account: string, key: string, change: 1 | -1): void {
    this.#free -= change;
    add(this.#byAccount, account, change);
    add(this.#byKey, key, change);
  }

  #wait(request: SlotRequest, key: string): Promise<boolean> {
    const { account, signal } = request;
    const waiters = this.#waitersByAccount.get(account) ?? new Set();
    this.#waitersByAccount.set(account, waiters);
    return new Promise((resolve) => {
      const cancel = () => waiter.settle(false);
      const check = () =>
        void (request.queueDeadline < this.#clock.now()
          ? cancel()
          : (cancelTimer = this.#afterDeadline(request, check)));
      let cancelTimer = this.#afterDeadline(request, check);
      const settle = (started: boolean) => {
        cancelTimer();
        signal.removeEventListener('abort', cancel);
        waiters.delete(waiter);
        if (waiters.size === 0 && this.#waitersByAccount.get(account) === waiters)
          this.#waitersByAccount.delete(account);
        resolve(started);
      };
      const waiter: Waiter = { key, settle };
      waiters.add(waiter);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #afterDeadline({ queueDeadline }: SlotRequest, task: () => void): () => void {
    return this.#clock.after(Math.max(queueDeadline - this.#clock.now(), 0) + 1, task);
  }

  /** Starts at most one queued request per account, in round-robin order. */
  #startNext(): void {
    for (const [account, waiters] of Array.from(this.#waitersByAccount)) {
      if (this.#free === 0) return;
      const next = this.#firstWithCapacity(account, waiters);
      if (!next) continue;
      this.#count(account, next.key, 1);
      this.#waitersByAccount.delete(account);
      this.#waitersByAccount.set(account, waiters);
      next.settle(true);
    }
  }

  #firstWithCapacity(account: string, waiters: ReadonlySet<Waiter>): Waiter | undefined {
    for (const waiter of waiters) if (this.#hasCapacity(account, waiter.key)) return waiter;
    return undefined;
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
