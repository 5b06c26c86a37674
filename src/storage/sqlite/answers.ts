import { LRUCache } from 'lru-cache';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  replaces,
  type AnswerStore,
  type StoredDetail,
  type StoredAnswer,
} from '../../registries/cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { charactersOf, toAnswer, toRow, type AnswerRow } from '../row.ts';
import { WriteBuffer } from '../write-buffer.ts';
import { AnswersFile } from './answers-file.ts';
import { SelfHealingFile } from './self-healing-file.ts';

/**
 * Limit of the cache of answers, in characters of JSON: 600 names with records, or 8,000 verdicts.
 * The objects take about four times as much memory.
 */
const maxRecentCharacters = 4_000_000;

/**
 * Delays writes until the last row of a search has been sent; earlier, they would delay that row by
 * a quarter. A crash may lose the answers.
 */
const writeDelayMs = 100;

interface RecentAnswer {
  readonly answer: StoredAnswer;
  readonly detail: StoredDetail;
}

/** Stores answers in a SQLite file. */
export class SqliteAnswers implements AnswerStore {
  readonly hits = { memory: 0, store: 0 };
  readonly #file: SelfHealingFile<AnswersFile>;
  readonly #unwritten: WriteBuffer;
  /** Parsed answers: parsing their JSON again would take longer than the rest of a lookup. */
  readonly #recent = new LRUCache<DomainName, RecentAnswer>({ maxSize: maxRecentCharacters });
  #isClosing = false;

  /** Opens or creates the file. Throws if the path cannot be used. */
  constructor(path: string, log: Log) {
    this.#file = new SelfHealingFile(path, (at) => new AnswersFile(at), log);
    const table = {
      write: (rows: readonly AnswerRow[]) => this.#write(rows),
      isUnavailable: isSqliteError,
    };
    this.#unwritten = new WriteBuffer(table, writeDelayMs, log);
  }

  async getAnswers(
    names: readonly DomainName[],
    detail: StoredDetail,
  ): Promise<Map<DomainName, StoredAnswer>> {
    const found = this.#read(names, detail);
    for (const name of names) {
      const unwritten = this.#unwritten.get(name);
      if (!unwritten || !replaces(unwritten, found.get(name))) continue;
      if (!found.has(name)) this.hits.memory += 1;
      found.set(name, unwritten);
    }
    return found;
  }

  async putAnswer(answer: StoredAnswer): Promise<void> {
    const contradicts = this.#contradicts(answer);
    const written = this.#unwritten.add(answer);
    // The file must be correct before a caller sees the answer; the buffer writes it a second time.
    if (contradicts) this.#writeImmediately(answer);
    return written;
  }

  async read(prefix: string): Promise<Map<string, string>> {
    return this.#file.use((file) => file.readValues(prefix));
  }

  async put(key: string, value: string): Promise<void> {
    this.#file.use((file) => file.putValue(key, value));
  }

  async putIfAbsent(key: string, value: string): Promise<string> {
    return this.#file.use((file) => file.putValueIfAbsent(key, value));
  }

  async deleteIf(key: string, value: string): Promise<void> {
    this.#file.use((file) => file.deleteValueIf(key, value));
  }

  async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    await this.#unwritten.flush();
    await this.#repeatUntilDone((file) => file.deleteAnswers(answersBefore));
    await this.#repeatUntilDone((file) => file.deleteRecords(recordsBefore));
    // The write-ahead log still contains deleted data.
    if (!this.#isClosing) this.#file.use((file) => file.truncateLog());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#unwritten.close();
    this.#file.close();
  }

  #read(names: readonly DomainName[], detail: StoredDetail): Map<DomainName, StoredAnswer> {
    const found = new Map<DomainName, StoredAnswer>();
    const uncached: DomainName[] = [];
    for (const name of names) {
      const recent = this.#recent.get(name);
      if (recent && (recent.detail === detail || detail === 'verdict'))
        found.set(name, recent.answer);
      else uncached.push(name);
    }
    this.hits.memory += found.size;
    if (uncached.length > 0)
      for (const answer of this.#readFile(uncached, detail)) found.set(answer.name, answer);
    return found;
  }

  #readFile(names: readonly DomainName[], detail: StoredDetail): readonly StoredAnswer[] {
    const entries = this.#file.use((file) =>
      file.read(names, detail).map((row) => ({ answer: toAnswer(row), size: charactersOf(row) })),
    );
    this.hits.store += entries.length;
    for (const { answer, size } of entries)
      this.#recent.set(answer.name, { answer, detail }, { size });
    return entries.map(({ answer }) => answer);
  }

  /**
   * Returns whether the answer contradicts an AVAILABLE that is stored or buffered, which must not
   * be returned after a crash either.
   */
  #contradicts({ name, verdict }: StoredAnswer): boolean {
    if (verdict === 'AVAILABLE') return false;
    return (
      this.#unwritten.get(name)?.verdict === 'AVAILABLE' ||
      ignoreSqliteError(() => this.#file.use((file) => file.isAvailable(name))) === true
    );
  }

  #writeImmediately(answer: StoredAnswer): void {
    ignoreSqliteError(() => this.#write([toRow(answer)]));
  }

  #write(rows: readonly AnswerRow[]): void {
    this.#file.use((file) => file.write(rows));
    for (const { name } of rows) this.#recent.delete(name);
  }

  /**
   * Repeats a delete in batches until no rows are left, and yields to other requests in between.
   */
  async #repeatUntilDone(deleteBatch: (file: AnswersFile) => boolean): Promise<void> {
    while (!this.#isClosing) {
      this.#recent.clear();
      if (!this.#file.use(deleteBatch)) return;
      await yieldToEventLoop();
    }
  }
}

/** Returns undefined if SQLite fails: the buffer retries the write and logs the error. */
function ignoreSqliteError<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns whether SQLite failed: a full disk, a lock or an I/O error. SQLite never rejects a single
 * row of these tables.
 */
function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error;
}
