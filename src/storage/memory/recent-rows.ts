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

  // A hundredth at once: a new iterator passes over all that was deleted before it, and one that is kept keeps in memory what was.
  function forgetSome(): void {
    const left = Math.ceil(limit * 0.99);
    for (const name of rows.keys()) {
      if (rows.size <= left) break;
      rows.delete(name);
    }
  }

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
      if (rows.size > limit) forgetSome();
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
