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

type Waiter = (started: boolean) => void;
/** The waiters of an account by key, in round-robin order of the keys. */
type Waiters = Map<string, Set<Waiter>>;

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
  readonly #waitersByAccount = new Map<string, Waiters>();
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
    const isFirst = !this.#waitersByAccount.get(account)?.has(key);
    if (isFirst && this.#hasCapacity(account, key)) this.#count(account, key, 1);
    else if (!(await this.#wait(request, key))) return undefined;
    return () => {
      this.#count(account, key, -1);
      this.#startNext();
    };
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
    return new Promise((resolve) => {
      const cancel = () => settle(false);
      const check = () =>
        void (request.queueDeadline < this.#clock.now()
          ? cancel()
          : (cancelTimer = this.#afterDeadline(request, check)));
      let cancelTimer = this.#afterDeadline(request, check);
      const settle: Waiter = (started) => {
        cancelTimer();
        signal.removeEventListener('abort', cancel);
        this.#remove(account, key, settle);
        resolve(started);
      };
      this.#add(account, key, settle);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #add(account: string, key: string, waiter: Waiter): void {
    const waiters: Waiters = this.#waitersByAccount.get(account) ?? new Map();
    this.#waitersByAccount.set(account, waiters);
    waiters.set(key, (waiters.get(key) ?? new Set()).add(waiter));
  }

  #remove(account: string, key: string, waiter: Waiter): void {
    const waiters = this.#waitersByAccount.get(account);
    const ofKey = waiters?.get(key);
    ofKey?.delete(waiter);
    if (ofKey?.size === 0) waiters?.delete(key);
    if (waiters?.size === 0) this.#waitersByAccount.delete(account);
  }

  #afterDeadline({ queueDeadline }: SlotRequest, task: () => void): () => void {
    return this.#clock.after(Math.max(queueDeadline - this.#clock.now(), 0) + 1, task);
  }

  /** Starts at most one queued request per account, in round-robin order. */
  #startNext(): void {
    for (const [account, waiters] of Array.from(this.#waitersByAccount)) {
      if (this.#free === 0) return;
      const key = this.#firstKeyWithCapacity(account, waiters);
      const ofKey = key === undefined ? undefined : waiters.get(key);
      const [next] = ofKey ?? [];
      if (key === undefined || !ofKey || !next) continue;
      moveToEnd(this.#waitersByAccount, account, waiters);
      moveToEnd(waiters, key, ofKey);
      this.#count(account, key, 1);
      next(true);
    }
  }

  /** Takes time in proportion to the number of keys whose slots are all in use. */
  #firstKeyWithCapacity(account: string, waiters: Waiters): string | undefined {
    for (const key of waiters.keys()) if (this.#hasCapacity(account, key)) return key;
    return undefined;
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
