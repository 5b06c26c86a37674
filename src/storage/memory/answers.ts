import type { AnswerStore, StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { fromRow, fromVerdictRow, knowsRegistration, toRow } from '../row.ts';
import { recentRows } from './recent-rows.ts';

/** Keeps answers for as long as the process lives. When full, it forgets those that were used least recently. */
export function memoryAnswers(limit = 100_000, maxCharacters = usualCharacters): AnswerStore {
  // They are kept as JSON: as objects they would take almost three times as much.
  const rows = recentRows(limit, maxCharacters);
  const notes = new Map<string, string>();
  const foundIn = { memory: 0, store: 0 };
  return {
    found: foundIn,
    async getMany(names, extent) {
      const found = new Map<DomainName, StoredAnswer>();
      for (const name of names) {
        const row = rows.get(name);
        if (row) found.set(name, extent === 'registration' && knowsRegistration(row) ? fromRow(row) : fromVerdictRow(row));
      }
      foundIn.memory += found.size;
      return found;
    },
    put: async (answer) => rows.keep(toRow(answer)),
    read: async (prefix) => new Map(Array.from(notes).filter(([key]) => key.startsWith(prefix))),
    write: async (key, note) => void notes.set(key, note),
    writeFirst: async (key, note) => {
      const kept = notes.get(key) ?? note;
      notes.set(key, kept);
      return kept;
    },
    forget: async (key, note) => {
      if (notes.get(key) === note) notes.delete(key);
    },
    sweep: async (answersBefore, recordsBefore) => rows.sweep(answersBefore, recordsBefore),
    close: async () => rows.clear(),
  };
}

/** 100,000 records of an average registry, some 0.7 GB. */
const usualCharacters = 700_000_000;
