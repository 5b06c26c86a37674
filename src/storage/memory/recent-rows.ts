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

/** Holds rows of `maxCharacters` in all, and at most `limit` of them; then it forgets those that were used least recently. */
export function recentRows(limit: number, maxCharacters: number): RecentRows {
  // A Map remembers the order of insertion: a name that is used moves to the end, so the first one is the least recently used.
  const rows = new Map<DomainName, PartialRow>();
  let characters = 0;

  // A hundredth at once: a new iterator passes over all that was deleted before it, and one that is kept keeps in memory what was.
  function forgetSome(): void {
    const left = Math.ceil(limit * 0.99);
    const charactersLeft = maxCharacters * 0.99;
    for (const row of rows.values()) {
      if (rows.size <= left && characters <= charactersLeft) break;
      forget(row);
    }
  }

  function forget(row: PartialRow): void {
    if (rows.delete(row.name)) characters -= charactersOf(row);
  }

  function keepLast(row: PartialRow): void {
    const before = rows.get(row.name);
    if (before) forget(before);
    rows.set(row.name, row);
    characters += charactersOf(row);
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
      if (rows.size > limit || characters > maxCharacters) forgetSome();
    },
    sweep(answersBefore, recordsBefore) {
      for (const [name, row] of rows) {
        if (row.checkedAt < answersBefore) forget(row);
        else if (row.checkedAt < recordsBefore && row.record) {
          rows.set(name, { ...row, record: null });
          characters -= row.record.length;
        }
      }
    },
    clear() {
      rows.clear();
      characters = 0;
    },
  };
}

/** What a row takes in memory, in characters of its JSON; a verdict alone takes some, too. */
export function charactersOf({ summary, record }: PartialRow): number {
  return 500 + (summary?.length ?? 0) + (record?.length ?? 0);
}
