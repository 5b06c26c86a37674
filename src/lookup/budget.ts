import type { Clock } from '../clock.ts';
import { pending } from './outcome.ts';
import type { DomainRow } from './row.ts';

/** The same rows, each PENDING when it is not known by then. The lookups go on. */
export function withinBudget(
  rows: readonly DomainRow[],
  budgetMs: number,
  clock: Clock,
  onPending: (row: DomainRow) => void,
): readonly DomainRow[] {
  const startedAt = clock.elapsed();
  return rows.map((row) => {
    let given: ReturnType<DomainRow['outcome']> | undefined;
    const wait = (): ReturnType<DomainRow['outcome']> => {
      const outcome = row.outcome();
      if (!(outcome instanceof Promise)) return outcome;
      return new Promise((resolve) => {
        const left = Math.max(0, budgetMs - (clock.elapsed() - startedAt));
        const cancel = clock.after(left, () => {
          onPending(row);
          resolve(pending(clock.elapsed() - startedAt));
        });
        void outcome.then((known) => {
          cancel();
          resolve(known);
        });
      });
    };
    return { ...row, outcome: () => (given ??= wait()) };
  });
}
