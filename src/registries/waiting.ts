import { askerKinds, type Asker } from '../domain/registry.ts';

/** Who waits in a lane, and in which order they go: the more urgent first, among equals account by account in turn. */
export interface Waiting<T extends { readonly asker: Asker }> extends Iterable<T> {
  readonly size: number;
  add(waiter: T): void;
  delete(waiter: T): void;
  /** Returns the request to be sent next among the accounts that may send; it stays in the queue until it is deleted. */
  next(maySend: (account: string) => boolean): T | undefined;
  /** How many requests of each account wait. */
  readonly byAccount: ReadonlyMap<string, number>;
  /** How many go before somebody who came now. */
  ahead(asker: Asker): number;
  /** A moment before which nobody's time is over; Infinity when nobody waits. */
  readonly patientUntil: number;
  /** Those whose time is over by then, who must leave. */
  late(moment: number): readonly T[];
}

export function createWaiting<T extends { readonly asker: Asker }>(): Waiting<T> {
  const waiters = new Set<T>();
  const lastTurns = new Map<string, number>();
  const byAccount = new Map<string, number>();
  let turns = 0;
  // The queue is long and this is asked at each turn: nobody grows less patient while he waits, so that it need not be looked through.
  let patientUntil = Infinity;
  return {
    byAccount,
    get size() {
      return waiters.size;
    },
    [Symbol.iterator]: () => waiters.values(),
    get patientUntil() {
      return patientUntil;
    },
    add(waiter) {
      waiters.add(waiter);
      byAccount.set(waiter.asker.account, (byAccount.get(waiter.asker.account) ?? 0) + 1);
      patientUntil = Math.min(patientUntil, waiter.asker.sendBy);
    },
    delete(waiter) {
      if (!waiters.delete(waiter)) return;
      const left = (byAccount.get(waiter.asker.account) ?? 0) - 1;
      if (left > 0) byAccount.set(waiter.asker.account, left);
      else byAccount.delete(waiter.asker.account);
      if (waiters.size > 0) return;
      lastTurns.clear();
      patientUntil = Infinity;
    },
    late(moment) {
      if (patientUntil >= moment) return [];
      patientUntil = earliestFrom(moment, waiters);
      return Array.from(waiters).filter(({ asker }) => asker.sendBy < moment);
    },
    next(maySend) {
      const excluded = new Set(Array.from(byAccount.keys()).filter((account) => !maySend(account)));
      const next = mostUrgent(waiters, excluded, (account) => lastTurns.get(account) ?? 0);
      if (next) lastTurns.set(next.asker.account, ++turns);
      return next;
    },
    ahead: (asker) => ahead(waiters, asker),
  };
}

/** What was sent before and must be sent on, or again, goes first: its time limit has begun. */
const urgency = (asker: Asker) => (asker.answerBy === undefined ? askerKinds.indexOf(asker.kind) : -1);

function mostUrgent<T extends { readonly asker: Asker }>(
  waiters: Iterable<T>,
  excluded: ReadonlySet<string>,
  lastTurn: (account: string) => number,
): T | undefined {
  let best: T | undefined;
  let bestUrgency = Infinity;
  let bestTurn = Infinity;
  for (const waiter of waiters) {
    const its = urgency(waiter.asker);
    if (its > bestUrgency || excluded.has(waiter.asker.account)) continue;
    const turn = lastTurn(waiter.asker.account);
    if (its === bestUrgency && turn >= bestTurn) continue;
    [best, bestUrgency, bestTurn] = [waiter, its, turn];
  }
  return best;
}

function earliestFrom(moment: number, waiters: Iterable<{ readonly asker: Asker }>): number {
  let earliest = Infinity;
  for (const { asker } of waiters) if (asker.sendBy >= moment) earliest = Math.min(earliest, asker.sendBy);
  return earliest;
}

function ahead(waiters: Iterable<{ readonly asker: Asker }>, asker: Asker): number {
  let urgent = 0;
  const equals = new Map<string, number>();
  for (const { asker: other } of waiters) {
    if (urgency(other) < urgency(asker)) urgent += 1;
    else if (urgency(other) === urgency(asker)) equals.set(other.account, (equals.get(other.account) ?? 0) + 1);
  }
  const own = equals.get(asker.account) ?? 0;
  equals.delete(asker.account);
  // Accounts take turns: before one's (own + 1)th, every other account has had at most own + 1.
  return Array.from(equals.values()).reduce((sum, count) => sum + Math.min(count, own + 1), urgent + own);
}
