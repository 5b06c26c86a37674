import { Problem } from '../../domain/problems.ts';
import { priorities, type AttemptRequest, type RequestOutcome } from '../../domain/source.ts';

/** Queues requests to one host until they may be sent. */
export interface RequestQueue {
  /**
   * Returns a permit when the request may be sent: synchronously if that is now. Returns a problem
   * otherwise: `registry_busy` immediately if the request cannot be sent by `queueDeadline`, too
   * many lookups of its account failed, or the account has used its share of the day;
   * `registry_error` while the circuit breaker is open. Never rejects.
   */
  acquire(name: string, request: AttemptRequest): Permit | Problem | Promise<Permit | Problem>;
  /**
   * Returns the ms between requests for which no caller waits: they get a tenth of the rate.
   * Undefined if none may be sent now, because callers have used the host in the last seconds or
   * its requests per day are limited.
   */
  backgroundIntervalMs(): number | undefined;
}

/** Allows one request to a host. */
export interface Permit {
  /**
   * Records a successful response before it is parsed, and sends queued requests. Returns whether
   * one was sent.
   */
  recordResponse(): boolean;
  /** Records the outcome of the request. Only the first call of either method has an effect. */
  end(outcome: RequestOutcome): void;
}

type Result = Permit | Problem;

/** A request in a host queue, which is settled with a permit or a problem. */
export class QueuedRequest {
  readonly name: string;
  readonly attempt: AttemptRequest;
  #result: Result | undefined;
  #onSettled: ((result: Result) => void) | undefined;

  constructor(name: string, attempt: AttemptRequest) {
    this.name = name;
    this.attempt = attempt;
  }

  /** Undefined while the request is queued. */
  get result(): Result | undefined {
    return this.#result;
  }

  settle(result: Result): void {
    this.#result = result;
    // Reported with the permit, so that no lookup is aborted between the two.
    if (!(result instanceof Problem)) this.attempt.observer?.onSent(this.name);
    this.#onSettled?.(result);
  }

  /**
   * Resolves when the request is settled. Calls `onAbort` if the caller disconnects before that.
   */
  waitUntilSettled(onAbort: () => void): Promise<Result> {
    const { signal } = this.attempt;
    return new Promise((resolve) => {
      this.#onSettled = (result) => {
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Why a request to a host is not sent. */
const reasons = {
  queueFull: (host: string) => `The lookup cannot be sent to ${host} in time.`,
  tooManyFailures: (host: string) =>
    `Too many of your lookups at ${host} failed in the last minute.`,
  dailyShareUsed: (host: string) =>
    `Your share of the requests that ${host} allows per day is used.`,
  circuitOpen: (host: string) => `${host} has failed repeatedly.`,
} as const;

export type RejectionReason = keyof typeof reasons;

/** Creates the problem of a request that may be sent in `retryAfter` seconds. */
export function rejected(reason: RejectionReason, host: string, retryAfter: number): Problem {
  const [code, next] =
    reason === 'circuitOpen'
      ? (['registry_error', 'It is queried again'] as const)
      : (['registry_busy', 'Try again'] as const);
  return new Problem(code, `${reasons[reason](host)} ${next} in ${retryAfter} s.`, { retryAfter });
}

const maxRequests = 100;

/** Computes latency and error rate over the latest requests to a host. */
export class HostStats {
  readonly #requests: { readonly ms: number; readonly failed: boolean }[] = [];

  add(ms: number, failed: boolean): void {
    this.#requests.push({ ms, failed });
    if (this.#requests.length > maxRequests) this.#requests.shift();
  }

  get p50Ms(): number | null {
    const sorted = this.#requests.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }

  get errorRate(): number | null {
    return this.#requests.length > 0
      ? this.#requests.filter(({ failed }) => failed).length / this.#requests.length
      : null;
  }
}

export interface FairQueueEntry {
  readonly attempt: AttemptRequest;
}

/** Orders the requests to one host by priority, and within a priority round-robin by account. */
export class FairQueue<T extends FairQueueEntry> {
  readonly #requests = new Set<T>();
  readonly #byAccount = new Map<string, number>();
  /** The turn in which each account was last selected. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  /**
   * A lower bound of the deadlines. It is read often and deadlines only move later while queued, so
   * the exact minimum is rarely recomputed.
   */
  #nextDeadline = Infinity;

  get size(): number {
    return this.#requests.size;
  }

  /** A lower bound of the queue deadlines, in epoch ms; Infinity if the queue is empty. */
  get nextDeadline(): number {
    return this.#nextDeadline;
  }

  get accounts(): Iterable<string> {
    return this.#byAccount.keys();
  }

  add(request: T): void {
    const { account, queueDeadline } = request.attempt;
    this.#requests.add(request);
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1);
    this.#nextDeadline = Math.min(this.#nextDeadline, queueDeadline);
  }

  delete(request: T): void {
    if (!this.#requests.delete(request)) return;
    const { account } = request.attempt;
    const remaining = (this.#byAccount.get(account) ?? 0) - 1;
    if (remaining > 0) this.#byAccount.set(account, remaining);
    else this.#byAccount.delete(account);
    if (this.#requests.size > 0) return;
    this.#lastTurns.clear();
    this.#nextDeadline = Infinity;
  }

  /**
   * Selects the next request among the accounts that may send. It stays in the queue until it is
   * deleted.
   */
  next(maySend: (account: string) => boolean): T | undefined {
    const accounts = Array.from(this.#byAccount.keys());
    const excluded = new Set(accounts.filter((account) => !maySend(account)));
    if (excluded.size === accounts.length) return undefined;

    const next = this.#mostUrgent(excluded);
    if (next) this.#lastTurns.set(next.attempt.account, ++this.#turns);
    return next;
  }

  /** Returns how many requests would be sent before a new one. */
  countAhead(attempt: AttemptRequest): number {
    let ahead = 0;
    const equallyUrgent = new Map<string, number>();
    for (const { attempt: other } of this.#requests) {
      if (urgency(other) < urgency(attempt)) ahead += 1;
      else if (urgency(other) === urgency(attempt))
        equallyUrgent.set(other.account, (equallyUrgent.get(other.account) ?? 0) + 1);
    }
    const own = equallyUrgent.get(attempt.account) ?? 0;
    equallyUrgent.delete(attempt.account);
    // Round-robin: before the (own + 1)th request of one account, every other has sent at most own
    // + 1.
    return Array.from(equallyUrgent.values()).reduce(
      (sum, count) => sum + Math.min(count, own + 1),
      ahead + own,
    );
  }

  /** Returns the requests of an account. */
  ofAccount(account: string): readonly T[] {
    return Array.from(this.#requests).filter(({ attempt }) => attempt.account === account);
  }

  /**
   * Returns the requests whose deadline is before `moment` (epoch ms). The caller must delete them.
   */
  findExpired(moment: number): readonly T[] {
    if (this.#nextDeadline >= moment) return [];
    const requests = Array.from(this.#requests);
    const expired = requests.filter(({ attempt }) => attempt.queueDeadline < moment);
    const inTime = requests.filter(({ attempt }) => attempt.queueDeadline >= moment);
    this.#nextDeadline = inTime.reduce(
      (earliest, { attempt }) => Math.min(earliest, attempt.queueDeadline),
      Infinity,
    );
    return expired;
  }

  #mostUrgent(excluded: ReadonlySet<string>): T | undefined {
    let best: T | undefined;
    let bestUrgency = Infinity;
    let bestTurn = Infinity;
    for (const request of this.#requests) {
      const { account } = request.attempt;
      const requestUrgency = urgency(request.attempt);
      if (requestUrgency > bestUrgency || excluded.has(account)) continue;
      const turn = this.#lastTurns.get(account) ?? 0;
      if (requestUrgency === bestUrgency && turn >= bestTurn) continue;
      [best, bestUrgency, bestTurn] = [request, requestUrgency, turn];
    }
    return best;
  }
}

/**
 * Returns the rank of a request, lowest first. Retries and redirects rank first: their time limit
 * has started.
 */
function urgency(attempt: AttemptRequest): number {
  return attempt.responseDeadline === undefined ? priorities.indexOf(attempt.priority) : -1;
}
