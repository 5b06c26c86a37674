import type { Clock } from '../clock.ts';
import {
  failedAnswer,
  type Answer,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';

type Waiter = (started: boolean) => void;

/**
 * Shares a limited number of lookups in flight between accounts, for a registry without a host
 * queue. An account may have at most as many in flight as there are free slots, so that other
 * accounts can always start some. Further lookups are queued round-robin by account until their
 * queue deadline, and then fail with `registry_busy`.
 */
export class FairShareSource implements Source {
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #inFlightByAccount = new Map<string, number>();
  /** In round-robin order: the account that started a lookup most recently is last. */
  readonly #waitersByAccount = new Map<string, Set<Waiter>>();
  #freeSlots: number;

  constructor(source: Source, maxInFlight: number, clock: Clock) {
    this.#source = source;
    this.#freeSlots = maxInFlight;
    this.#clock = clock;
  }

  get id(): string {
    return this.#source.id;
  }

  async lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const { account } = request;
    if (!this.#waitersByAccount.has(account) && this.#hasCapacity(account)) this.#count(account, 1);
    else if (!(await this.#waitForStart(request))) return failedAnswer(busyProblem());
    try {
      return await this.#source.lookup(query, request);
    } finally {
      this.#count(account, -1);
      this.#startNext();
    }
  }

  #hasCapacity(account: string): boolean {
    return (this.#inFlightByAccount.get(account) ?? 0) < this.#freeSlots;
  }

  #count(account: string, change: 1 | -1): void {
    this.#freeSlots -= change;
    const inFlight = (this.#inFlightByAccount.get(account) ?? 0) + change;
    if (inFlight > 0) this.#inFlightByAccount.set(account, inFlight);
    else this.#inFlightByAccount.delete(account);
  }

  /**
   * Resolves to false if the request is aborted or its `queueDeadline` passes before the lookup can
   * start.
   */
  #waitForStart(request: AttemptRequest): Promise<boolean> {
    const { account, signal } = request;
    const waiters = this.#waitersByAccount.get(account) ?? new Set();
    this.#waitersByAccount.set(account, waiters);
    return new Promise((resolve) => {
      const cancel = () => settle(false);
      // `queueDeadline` may become later while the lookup waits.
      const check = () =>
        void (request.queueDeadline < this.#clock.now()
          ? cancel()
          : (cancelTimer = this.#afterDeadline(request, check)));
      let cancelTimer = this.#afterDeadline(request, check);
      const settle: Waiter = (started) => {
        cancelTimer();
        signal.removeEventListener('abort', cancel);
        waiters.delete(settle);
        if (waiters.size === 0 && this.#waitersByAccount.get(account) === waiters)
          this.#waitersByAccount.delete(account);
        resolve(started);
      };
      waiters.add(settle);
      if (signal.aborted) cancel();
      else signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #afterDeadline({ queueDeadline }: AttemptRequest, task: () => void): () => void {
    return this.#clock.after(Math.max(queueDeadline - this.#clock.now(), 0) + 1, task);
  }

  /** Starts one queued lookup per account with capacity, in round-robin order. */
  #startNext(): void {
    for (const [account, waiters] of this.#waitersByAccount) {
      const [next] = waiters;
      if (!next || !this.#hasCapacity(account)) continue;
      this.#count(account, 1);
      this.#waitersByAccount.delete(account);
      this.#waitersByAccount.set(account, waiters);
      next(true);
    }
  }
}

function busyProblem(): Problem {
  const detail = 'Too many lookups are in flight at the sandbox registry. Try again in 1 s.';
  return new Problem('registry_busy', detail, { retryAfter: 1 });
}
