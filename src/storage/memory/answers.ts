import type { AnswerStore, Extent, StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { RowCache } from '../row-cache.ts';
import { toAnswer, toRow, withoutRegistration } from '../row.ts';

/** 100,000 records of an average registry: about 0.7 GB. */
const defaultMaxCharacters = 700_000_000;

/** Stores answers for as long as the process lives. When full, it evicts the least recently used. */
export class MemoryAnswers implements AnswerStore {
  readonly found = { memory: 0, store: 0 };
  /** Rows contain JSON: objects would take almost three times as much memory. */
  readonly #rows: RowCache;
  readonly #notes = new Map<string, string>();

  constructor(maxCharacters = defaultMaxCharacters) {
    this.#rows = new RowCache(maxCharacters);
  }

  async getMany(
    names: readonly DomainName[],
    extent: Extent,
  ): Promise<Map<DomainName, StoredAnswer>> {
    const found = new Map<DomainName, StoredAnswer>();
    for (const name of names) {
      const row = this.#rows.get(name);
      if (row) found.set(name, toAnswer(extent === 'verdict' ? withoutRegistration(row) : row));
    }
    this.found.memory += found.size;
    return found;
  }

  async put(answer: StoredAnswer): Promise<void> {
    this.#rows.put(toRow(answer));
  }

  async read(prefix: string): Promise<Map<string, string>> {
    return new Map(Array.from(this.#notes).filter(([key]) => key.startsWith(prefix)));
  }

  async write(key: string, note: string): Promise<void> {
    this.#notes.set(key, note);
  }

  async writeFirst(key: string, note: string): Promise<string> {
    const stored = this.#notes.get(key) ?? note;
    this.#notes.set(key, stored);
    return stored;
  }

  async forget(key: string, note: string): Promise<void> {
    if (this.#notes.get(key) === note) this.#notes.delete(key);
  }

  async sweep(answersBefore: number, recordsBefore: number): Promise<void> {
    this.#rows.sweep(answersBefore, recordsBefore);
  }

  async close(): Promise<void> {
    this.#rows.clear();
  }
}
