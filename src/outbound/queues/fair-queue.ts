import type { AttemptRequest, Urgency } from '../../domain/source.ts';
import { addTo } from '../../shared/counts.ts';
import { leastUrgent, rankOf, type QueuedRequest } from './request-queue.ts';
import { getOrInsert } from '../../shared/memoize.ts';

interface AccountRequests {
  readonly account: string;
  /** The most urgent is first, and the oldest of equally urgent ones. */
  readonly requests: Heap<'ownIndex', QueuedRequest>;
  /** When the account last sent a request; the most recent turn is the highest. */
  lastTurn: number;
  turnIndex: number;
}

/**
 * Orders the requests to one host by urgency. Equally urgent requests are sent round-robin by
 * account, and those of one account in the order in which they were added. All methods take
 * logarithmic time, apart from accounts that may not send.
 */
export class FairQueue {
  readonly #accounts = new Map<string, AccountRequests>();
  readonly #byTurn = new Heap('turnIndex', sendsBefore);
  readonly #byDeadline = new Heap('deadlineIndex', expiresBefore);
  readonly #counts = Array.from({ length: leastUrgent + 1 }, () => new RequestCounts());
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #added = 0;

  get size(): number {
    return this.#byDeadline.size;
  }

  get accounts(): Iterable<string> {
    return this.#accounts.keys();
  }

  /** The request with the earliest queue deadline. */
  get firstToExpire(): QueuedRequest | undefined {
    return this.#byDeadline.first;
  }

  add(request: QueuedRequest): void {
    request.position = this.#added += 1;
    this.#insert(request);
  }

  delete(request: QueuedRequest): void {
    if (!this.#remove(request)) return;
    if (this.size === 0) this.#lastTurns.clear();
  }

  /** Changes the urgency of a queued request, which keeps its position. */
  update(request: QueuedRequest, urgency: Urgency): void {
    if (!this.#remove(request)) return;
    request.urgency = rankOf(urgency);
    request.deadline = urgency.queueDeadline;
    this.#insert(request);
  }

  /**
   * Selects the next request among the accounts that may send. It stays in the queue until it is
   * deleted.
   */
  next(maySend: (account: string) => boolean): QueuedRequest | undefined {
    const skipped: AccountRequests[] = [];
    let first = this.#byTurn.first;
    while (first && !maySend(first.account)) {
      skipped.push(first);
      this.#byTurn.delete(first);
      first = this.#byTurn.first;
    }

    for (const account of skipped) this.#byTurn.set(account);
    if (!first) return undefined;

    first.lastTurn = this.#turns += 1;
    this.#lastTurns.set(first.account, first.lastTurn);
    this.#byTurn.set(first);

    return first.requests.first;
  }

  /** Returns how many requests would be sent before a new one. */
  countAhead(attempt: AttemptRequest): number {
    const rank = rankOf(attempt);
    const moreUrgent = this.#counts.slice(0, rank).reduce((sum, { size }) => sum + size, 0);
    return moreUrgent + (this.#counts[rank]?.countAhead(attempt.account) ?? 0);
  }

  hasNext(maySend: (account: string) => boolean): boolean {
    for (const account of this.#accounts.keys()) if (maySend(account)) return true;
    return false;
  }

  ofAccount(account: string): readonly QueuedRequest[] {
    return this.#accounts.get(account)?.requests.items ?? [];
  }

  #insert(request: QueuedRequest): void {
    const { account } = request.attempt;
    const ofAccount = getOrInsert(this.#accounts, account, () => ({
      account,
      requests: new Heap('ownIndex', isMoreUrgent),
      lastTurn: this.#lastTurns.get(account) ?? 0,
      turnIndex: -1,
    }));
    ofAccount.requests.set(request);
    this.#byTurn.set(ofAccount);
    this.#byDeadline.set(request);
    this.#counts[request.urgency]?.change(account, 1);
  }

  /** Returns false if the request is not queued. */
  #remove(request: QueuedRequest): boolean {
    const { account } = request.attempt;
    const ofAccount = this.#accounts.get(account);
    if (!ofAccount || request.deadlineIndex < 0) return false;

    this.#byDeadline.delete(request);
    this.#counts[request.urgency]?.change(account, -1);
    ofAccount.requests.delete(request);

    if (ofAccount.requests.size > 0) {
      this.#byTurn.set(ofAccount);
    } else {
      this.#byTurn.delete(ofAccount);
      this.#accounts.delete(account);
    }

    return true;
  }
}

function expiresBefore(a: QueuedRequest, b: QueuedRequest): boolean {
  return a.deadline < b.deadline;
}

function isMoreUrgent(a: QueuedRequest, b: QueuedRequest): boolean {
  return a.urgency === b.urgency ? a.position < b.position : a.urgency < b.urgency;
}

function sendsBefore(a: AccountRequests, b: AccountRequests): boolean {
  const [first, second] = [a.requests.first, b.requests.first];
  if (!first || !second) return second === undefined;
  if (first.urgency !== second.urgency || a.lastTurn === b.lastTurn)
    return isMoreUrgent(first, second);
  return a.lastTurn < b.lastTurn;
}

/** Counts equally urgent requests by account. */
class RequestCounts {
  size = 0;
  readonly #byAccount = new Map<string, number>();
  /** How many accounts have the same number of requests, by that number. */
  readonly #accountsWith = new Map<number, number>();

  change(account: string, by: 1 | -1): void {
    const before = this.#byAccount.get(account) ?? 0;
    this.size += by;
    addTo(this.#byAccount, account, by);
    if (before > 0) addTo(this.#accountsWith, before, -1);
    if (before + by > 0) addTo(this.#accountsWith, before + by, 1);
  }

  /** Returns how many requests would be sent before a new one of an account. */
  countAhead(account: string): number {
    // Round-robin: before the (own + 1)th request of one account, every other has sent at most own
    // + 1. Ten thousand requests have at most 140 different counts.
    const own = this.#byAccount.get(account) ?? 0;
    let ahead = 0;
    for (const [count, accounts] of this.#accountsWith)
      ahead += accounts * Math.min(count, own + 1);

    return ahead;
  }
}

/**
 * A binary heap. Adding, moving and deleting an item takes logarithmic time. Each item stores its
 * own index, which is -1 outside the heap, in its member `key`: an item may be in several heaps.
 */
class Heap<Key extends string, T extends Record<Key, number>> {
  readonly #key: Key;
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(key: Key, isBefore: (a: T, b: T) => boolean) {
    this.#key = key;
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Copies the items, in no particular order. */
  get items(): readonly T[] {
    return Array.from(this.#items);
  }

  /** Adds an item, or moves one whose order has changed. */
  set(item: T): void {
    const index = item[this.#key];
    this.#sink(this.#raise(index < 0 ? this.size : index, item), item);
  }

  delete(item: T): void {
    const index = item[this.#key];
    const last = this.#items.pop();
    this.#store(item, -1);
    if (last !== undefined && last !== item) this.#sink(this.#raise(index, last), last);
  }

  /** Moves the free place `index` up to where the item may be. Returns its index. */
  #raise(index: number, item: T): number {
    const parent = (index - 1) >> 1;
    const above = index > 0 ? this.#items[parent] : undefined;
    if (above === undefined || !this.#isBefore(item, above)) return index;
    this.#place(index, above);
    return this.#raise(parent, item);
  }

  /** Moves the free place `index` down to where the item must be, and puts it there. */
  #sink(index: number, item: T): void {
    const [left, right] = [this.#items[2 * index + 1], this.#items[2 * index + 2]];
    const isRight = left !== undefined && right !== undefined && this.#isBefore(right, left);
    const below = isRight ? right : left;
    if (below === undefined || !this.#isBefore(below, item)) return this.#place(index, item);
    this.#place(index, below);
    this.#sink(2 * index + (isRight ? 2 : 1), item);
  }

  #place(index: number, item: T): void {
    this.#items[index] = item;
    this.#store(item, index);
  }

  #store(item: Record<Key, number>, index: number): void {
    item[this.#key] = index;
  }
}
