import type { Clock } from '../clock.ts';
import { onceSettled } from '../shared/memoize.ts';
import { pendingOutcome, type LookupOutcome } from './lookup-outcome.ts';
import type { DomainRow } from './row.ts';

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
