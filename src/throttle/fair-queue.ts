import { priorities, type AttemptRequest } from '../domain/source.ts';

/** A request in a queue, and on whose behalf it waits. */
export interface FairQueueEntry {
  readonly attempt: AttemptRequest;
}

/** Orders the requests to one host: more urgent ones first, among equals the accounts in turn. */
export class FairQueue<T extends FairQueueEntry> {
  readonly #requests = new Set<T>();
  readonly #byAccount = new Map<string, number>();
  /** When each account was last chosen, counted in turns. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  /** No later than the earliest deadline: it is needed often, and no deadline becomes earlier in the queue, so that a pass over all is rare. */
  #nextDeadline = Infinity;

  get size(): number {
    return this.#requests.size;
  }

  /** A moment before which no request's deadline passes, in epoch ms; Infinity for an empty queue. */
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

  /** Returns the request to be sent next among the accounts that may send. It stays in the queue until it is deleted. */
  next(maySend: (account: string) => boolean): T | undefined {
    const excluded = new Set(
      Array.from(this.#byAccount.keys()).filter((account) => !maySend(account)),
    );
    const next = this.#mostUrgent(excluded);
    if (next) this.#lastTurns.set(next.attempt.account, ++this.#turns);
    return next;
  }

  /** Returns how many requests could be sent at once, at most `max`, if each account may send what `roomOf` allows. */
  countSendable(max: number, freeSlotsOf: (account: string) => number): number {
    let count = 0;
    for (const [account, queued] of this.#byAccount) {
      if (count >= max) break;
      count += Math.max(Math.min(queued, freeSlotsOf(account)), 0);
    }
    return Math.min(count, max);
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
    // Accounts take turns: before the (own + 1)th request of one, every other account has sent at most own + 1.
    return Array.from(equallyUrgent.values()).reduce(
      (sum, count) => sum + Math.min(count, own + 1),
      ahead + own,
    );
  }

  /** Returns the requests of an account. */
  ofAccount(account: string): readonly T[] {
    return Array.from(this.#requests).filter(({ attempt }) => attempt.account === account);
  }

  /** Returns the requests whose deadline is before that moment (epoch ms), which must be deleted. */
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

/** What was sent before and must be sent on, or again, comes first: its time limit has begun. */
function urgency(attempt: AttemptRequest): number {
  return attempt.responseDeadline === undefined ? priorities.indexOf(attempt.priority) : -1;
}
