import type { Clock } from '../clock.ts';
import { onceSettled } from '../once.ts';
import { pending, type Outcome } from './lookup-result.ts';
import type { DomainRow } from './row.ts';

/** The same rows, each PENDING when it is not known by then. The lookups go on. */
export function withinBudget(
  rows: readonly DomainRow[],
  budgetMs: number,
  clock: Clock,
  onPending: (row: DomainRow) => void,
): readonly DomainRow[] {
  const startedAt = clock.elapsed();
  const taken = () => clock.elapsed() - startedAt;
  const inTime = (row: DomainRow): Outcome | Promise<Outcome> => {
    const outcome = row.outcome();
    if (!(outcome instanceof Promise)) return outcome;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(Math.max(0, budgetMs - taken()), () => {
        onPending(row);
        resolve(pending(taken()));
      });
      outcome.then(resolve, reject).finally(cancel);
    });
  };
  return rows.map((row) => ({ ...row, outcome: onceSettled(() => inTime(row)) }));
}
