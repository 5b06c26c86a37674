import type { StoredAnswer } from '../../domain/answer.ts';
import type { AnswerStore, StoredDetail } from '../../registries/cache/store.ts';
import type { OnParserError } from '../../registries/rdap/rdap-exchange.ts';
import { RowCache, toAnswer, toRow, withoutRegistration } from '../row.ts';

/** 100,000 records of an average registry: about 0.7 GB. */
const defaultMaxCharacters = 700_000_000;

/** Stores answers in memory. When full, it evicts the least recently used. */
export class MemoryAnswers implements AnswerStore {
  readonly hits = { memory: 0, store: 0 };
  /** Rows contain JSON: objects would take almost three times as much memory. */
  readonly #rows: RowCache;
  readonly #onParserError: OnParserError | undefined;
  readonly #values = new Map<string, string>();

  constructor(maxCharacters = defaultMaxCharacters, onParserError?: OnParserError) {
    this.#rows = new RowCache(maxCharacters);
    this.#onParserError = onParserError;
  }

  async getAnswers(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<Map<string, StoredAnswer>> {
    const found = new Map<string, StoredAnswer>();
    for (const name of names) {
      const row = this.#rows.get(name);
      const read = row && detail === 'verdict' ? withoutRegistration(row) : row;
      if (read) found.set(name, toAnswer(read, this.#onParserError));
    }

    this.hits.memory += found.size;
    return found;
  }

  async putAnswer(answer: StoredAnswer): Promise<void> {
    this.#rows.put(toRow(answer));
  }

  async read(prefix: string): Promise<Map<string, string>> {
    return new Map(Array.from(this.#values).filter(([key]) => key.startsWith(prefix)));
  }

  async put(key: string, value: string): Promise<void> {
    this.#values.set(key, value);
  }

  async putIfAbsent(key: string, value: string): Promise<string> {
    const stored = this.#values.get(key) ?? value;
    this.#values.set(key, stored);
    return stored;
  }

  async deleteIf(key: string, value: string): Promise<void> {
    if (this.#values.get(key) === value) this.#values.delete(key);
  }

  async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    await this.#rows.sweep(answersBefore, recordsBefore);
  }

  async close(): Promise<void> {
    this.#rows.clear();
  }
}
