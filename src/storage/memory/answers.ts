import { replaces, type AnswerStore, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { fromRow, toRow, type Row } from '../row.ts';

/** Keeps answers for as long as the process lives. When full, it forgets the name that was used least recently. */
export function memoryAnswers(limit = 100_000): AnswerStore {
  // A Map remembers the order of insertion: a name that is used moves to the end, so the first one is the least recently used.
  // It holds JSON: 100,000 records take 0.7 GB so; as objects they would take 1.9 GB.
  const rows = new Map<DomainName, Row>();
  const notes = new Map<string, string>();

  function keepLast(row: Row): void {
    rows.delete(row.name);
    rows.set(row.name, row);
  }

  return {
    async getMany(names) {
      const found = new Map<DomainName, StoredAnswer>();
      for (const name of names) {
        const row = rows.get(name);
        if (!row) continue;
        keepLast(row);
        found.set(name, fromRow(row));
      }
      return found;
    },

    async put(answer) {
      const kept = rows.get(answer.name);
      if (!replaces(answer, kept)) return;
      keepLast(toRow(answer));
      const [leastRecent] = rows.keys();
      if (rows.size > limit && leastRecent !== undefined) rows.delete(leastRecent);
    },

    read: async (prefix) => new Map(Array.from(notes).filter(([key]) => key.startsWith(prefix))),
    write: async (key, note) => void notes.set(key, note),

    async sweep(answersBefore, recordsBefore) {
      for (const [name, row] of rows) {
        if (row.checkedAt < answersBefore) rows.delete(name);
        else if (row.checkedAt < recordsBefore) rows.set(name, { ...row, record: null });
      }
    },

    async close() {
      rows.clear();
    },
  };
}
