import { toUnicodeName } from '../domain/names/domain-name.ts';
import { onceSettled, type OnceSettled } from '../shared/memoize.ts';
import { type LookupOutcome, pendingOutcome } from './lookup-outcome.ts';
import type { PlannedRow } from './lookup-plan.ts';
import type { NextTurn } from './batch-scheduler.ts';
import type { Clock } from '../clock.ts';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** One name of an operation. It is looked up when its outcome is requested. */
export interface DomainRow extends Omit<PlannedRow, 'target'> {
  /** The entries of the field that requested it, as they were sent. */
  readonly inputs: readonly string[];
  readonly unicodeName: string;
  /**
   * Returns the same outcome each time; a plain value once it is available, so that no field waits
   * for a promise. Never rejects.
   */
  readonly outcome: OnceSettled<LookupOutcome>;
}

/** Creates a row. `outcome` is called at most once. */
export function createRow(
  planned: Omit<PlannedRow, 'target'>,
  outcome: DomainRow['outcome'],
): DomainRow {
  const { domain } = planned;
  return {
    ...planned,
    inputs: [domain],
    unicodeName: toUnicodeName(domain),
    outcome: onceSettled(outcome),
  };
}

/** Returns rows whose outcomes become available over several turns of the event loop. */
export function inTurns(rows: readonly DomainRow[], nextTurn: NextTurn): readonly DomainRow[] {
  const afterTurn = (outcome: LookupOutcome, work: 'now' | 'later') =>
    nextTurn(work)?.then(() => outcome) ?? outcome;
  return rows.map((row) => ({
    ...row,
    outcome: onceSettled(() => {
      const outcome = row.outcome();
      return outcome instanceof Promise
        ? outcome.then((settled) => afterTurn(settled, 'later'))
        : afterTurn(outcome, 'now');
    }),
  }));
}

/** Returns the rows with outcomes that are PENDING after `budgetMs`. Their lookups continue. */
export function withTimeBudget(
  rows: readonly DomainRow[],
  budgetMs: number,
  clock: Clock,
  onPending: (row: DomainRow) => void,
): readonly DomainRow[] {
  const startedAt = clock.elapsed();
  const elapsedMs = () => clock.elapsed() - startedAt;

  const outcomeInTime = (row: DomainRow): LookupOutcome | Promise<LookupOutcome> => {
    const outcome = row.outcome();
    if (!(outcome instanceof Promise)) return outcome;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(Math.max(0, budgetMs - elapsedMs()), () => {
        onPending(row);
        resolve(pendingOutcome(elapsedMs()));
      });
      outcome.then(resolve, reject).finally(cancel);
    });
  };

  return rows.map((row) => ({ ...row, outcome: onceSettled(() => outcomeInTime(row)) }));
}

/**
 * Yields items in the order in which their results settle; `Promise.race` would take quadratic
 * time. After the first, items that settle in the same tick of the event loop are yielded together,
 * so that they are sent in one packet.
 */
export async function* inCompletionOrder<T>(
  items: readonly T[],
  resultOf: (item: T) => unknown,
): AsyncGenerator<T, void, void> {
  const settled: T[] = [];
  let wake: (() => void) | undefined;

  const add = (item: T) => {
    settled.push(item);
    // Resolving a promise again costs more than the first time.
    wake?.();
    wake = undefined;
  };

  for (const item of items) {
    const result = resultOf(item);
    if (result instanceof Promise) void result.then(() => add(item));
    else add(item);
  }

  for (let remaining = items.length; remaining > 0;) {
    if (settled.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    if (remaining < items.length) await yieldToEventLoop();
    for (const item of settled.splice(0)) {
      remaining -= 1;
      yield item;
    }
  }
}
