import { replaces } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { PartialRow } from '../row.ts';

/** Answers of the names that were used most recently, and no more of them than there is room for. */
export interface RecentRows {
  get(name: DomainName): PartialRow | undefined;
  /** Keeps a row in the place of an older one; one that was learned earlier than the kept one changes nothing. */
  keep(row: PartialRow): void;
  /** Forgets rows learned before `answersBefore`, and the records of those learned before `recordsBefore`. */
  sweep(answersBefore: number, recordsBefore: number): void;
  clear(): void;
}

export function recentRows(limit: number): RecentRows {
  // A Map remembers the order of insertion: a name that is used moves to the end, so the first one is the least recently used.
  const rows = new Map<DomainName, PartialRow>();
  // One iterator for good: a new one would pass over all that was deleted before it. What it has passed is gone, so that the next is there.
  const leastRecent = rows.keys();

  function keepLast(row: PartialRow): void {
    rows.delete(row.name);
    rows.set(row.name, row);
  }

  return {
    get(name) {
      const row = rows.get(name);
      if (row) keepLast(row);
      return row;
    },
    keep(row) {
      if (!replaces(row, rows.get(row.name))) return;
      keepLast(row);
      while (rows.size > limit) rows.delete(leastRecent.next().value as DomainName);
    },
    sweep(answersBefore, recordsBefore) {
      for (const [name, row] of rows) {
        if (row.checkedAt < answersBefore) rows.delete(name);
        else if (row.checkedAt < recordsBefore) rows.set(name, { ...row, record: null });
      }
    },
    clear: () => rows.clear(),
  };
}
