import { priorities, type AttemptRequest } from '../../domain/source.ts';

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
