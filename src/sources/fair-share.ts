import type { Clock } from '../clock.ts';
import {
  unanswered,
  type Answer,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';

type Waiter = (started: boolean) => void;

/**
 * Shares a limited number of lookups in flight between accounts, for a registry without a host queue. An account may have as many in flight as
 * are still free, so that others can always start some. Further lookups wait, account by account in turn, until their queue deadline; then they
 * are `registry_busy`.
 */
export class FairShare implements Source {
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #inFlight = new Map<string, number>();
  /** The account that started a lookup last comes last. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #free: number;

  constructor(source: Source, maxInFlight: number, clock: Clock) {
    this.#source = source;
    this.#free = maxInFlight;
    this.#clock = clock;
  }

  get id(): string {
    return this.#source.id;
  }

  async lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const { account } = request;
    if (!this.#waiting.has(account) && this.#hasRoom(account)) this.#count(account, 1);
    else if (!(await this.#untilStarted(request))) return unanswered(busy());
    try {
      return await this.#source.lookup(query, request);
    } finally {
      this.#count(account, -1);
      this.#startNext();
    }
  }

  #hasRoom(account: string): boolean {
    return (this.#inFlight.get(account) ?? 0) < this.#free;
  }

  #count(account: string, change: 1 | -1): void {
    this.#free -= change;
    const inFlight = (this.#inFlight.get(account) ?? 0) + change;
    if (inFlight > 0) this.#inFlight.set(account, inFlight);
    else this.#inFlight.delete(account);
  }

  /** Resolves to false when the request is aborted or its `queueDeadline` passes before the lookup could start. */
  #untilStarted(request: AttemptRequest): Promise<boolean> {
    const { account, signal } = request;
    const waiters = this.#waiting.get(account) ?? new Set();
    this.#waiting.set(account, waiters);
    return new Promise((resolve) => {
      const giveUp = () => settle(false);
      // `queueDeadline` may become later while the lookup waits.
      const check = () =>
        void (request.queueDeadline < this.#clock.now()
          ? giveUp()
          : (cancelTimer = this.#afterDeadline(request, check)));
      let cancelTimer = this.#afterDeadline(request, check);
      const settle: Waiter = (started) => {
        cancelTimer();
        signal.removeEventListener('abort', giveUp);
        waiters.delete(settle);
        if (waiters.size === 0 && this.#waiting.get(account) === waiters)
          this.#waiting.delete(account);
        resolve(started);
      };
      waiters.add(settle);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #afterDeadline({ queueDeadline }: AttemptRequest, task: () => void): () => void {
    return this.#clock.after(Math.max(queueDeadline - this.#clock.now(), 0) + 1, task);
  }

  /** Starts lookups of the accounts that have room, in turn. */
  #startNext(): void {
    for (const [account, waiters] of this.#waiting) {
      const [next] = waiters;
      if (!next || !this.#hasRoom(account)) continue;
      this.#count(account, 1);
      this.#waiting.delete(account);
      this.#waiting.set(account, waiters);
      next(true);
    }
  }
}

function busy(): Problem {
  const detail = 'Too many lookups are in flight at the built-in registry; try again in 1 s.';
  return new Problem('registry_busy', detail, { retryAfter: 1 });
}
