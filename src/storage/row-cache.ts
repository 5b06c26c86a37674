import { LRUCache } from 'lru-cache';
import { replaces } from '../registries/cache/store.ts';
import { charactersOf, type PartialAnswerRow } from './row.ts';

/**
 * Caches rows in memory up to a number of characters; when full, it evicts the least recently used.
 */
export class RowCache {
  readonly #rows: LRUCache<string, PartialAnswerRow>;

  constructor(maxCharacters: number) {
    this.#rows = new LRUCache({ maxSize: maxCharacters, sizeCalculation: charactersOf });
  }

  get(name: string): PartialAnswerRow | undefined {
    return this.#rows.get(name);
  }

  /** Stores a row, unless the stored one is newer. */
  put(row: PartialAnswerRow): void {
    if (replaces(row, this.#rows.peek(row.name))) this.#rows.set(row.name, row);
  }

  /**
   * Deletes rows older than `answersBefore`, and the records of rows older than `recordsBefore`
   * (epoch ms).
   */
  sweep(answersBefore: number, recordsBefore: number): void {
    for (const [name, row] of Array.from(this.#rows.entries())) {
      if (row.checkedAt < answersBefore) this.#rows.delete(name);
      else if (row.checkedAt < recordsBefore && row.record)
        this.#rows.set(name, { ...row, record: null });
    }
  }

  clear(): void {
    this.#rows.clear();
  }
}
