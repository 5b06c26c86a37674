import { LRUCache } from 'lru-cache';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  replaces,
  type AnswerStore,
  type StoredDetail,
  type StoredAnswer,
} from '../../../cache/store.ts';
import type { DomainName } from '../../../domain/domain-name.ts';
import type { Log } from '../../../log.ts';
import { charactersOf, toAnswer, toRow, type AnswerRow } from '../../row.ts';
import { WriteBuffer } from '../../write-buffer.ts';
import { AnswersFile } from './answers-file.ts';
import { SelfHealingFile } from './self-healing-file.ts';

/**
 * Of answers that were read, as characters of their JSON: 600 names with their records, or 8,000 verdicts. As objects they take about four
 * times as much.
 */
const maxRecentCharacters = 4_000_000;

/** The answers of a search are written when its last row was sent: in between, they would delay that row by a quarter. A crash may lose them. */
const writeDelayMs = 100;

interface RecentAnswer {
  readonly answer: StoredAnswer;
  readonly extent: StoredDetail;
}

/** Stores answers in a SQLite file. */
export class SqliteAnswers implements AnswerStore {
  readonly hits = { memory: 0, store: 0 };
  readonly #file: SelfHealingFile<AnswersFile>;
  readonly #unwritten: WriteBuffer;
  /** Answers as they were read: parsing their JSON again would take longer than the rest of a lookup. */
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
    extent: StoredDetail,
  ): Promise<Map<DomainName, StoredAnswer>> {
    const found = this.#read(names, extent);
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
    // Before a caller reads the answer, and although the buffer writes it again.
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
    // What was deleted can still be read in the write-ahead log.
    if (!this.#isClosing) this.#file.use((file) => file.truncateLog());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#unwritten.close();
    this.#file.close();
  }

  #read(names: readonly DomainName[], extent: StoredDetail): Map<DomainName, StoredAnswer> {
    const found = new Map<DomainName, StoredAnswer>();
    const uncached: DomainName[] = [];
    for (const name of names) {
      const recent = this.#recent.get(name);
      if (recent && (recent.extent === extent || extent === 'verdict'))
        found.set(name, recent.answer);
      else uncached.push(name);
    }
    this.hits.memory += found.size;
    if (uncached.length > 0)
      for (const answer of this.#readFile(uncached, extent)) found.set(answer.name, answer);
    return found;
  }

  #readFile(names: readonly DomainName[], extent: StoredDetail): readonly StoredAnswer[] {
    const entries = this.#file.use((file) =>
      file.read(names, extent).map((row) => ({ answer: toAnswer(row), size: charactersOf(row) })),
    );
    this.hits.store += entries.length;
    for (const { answer, size } of entries)
      this.#recent.set(answer.name, { answer, extent }, { size });
    return entries.map(({ answer }) => answer);
  }

  /** Whether an AVAILABLE that is stored, or will be, is not true any more: it must not be returned after a crash either. */
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

  /** Repeats a step that deletes some rows until there are none left, and serves others in between. */
  async #repeatUntilDone(deleteBatch: (file: AnswersFile) => boolean): Promise<void> {
    while (!this.#isClosing) {
      this.#recent.clear();
      if (!this.#file.use(deleteBatch)) return;
      await yieldToEventLoop();
    }
  }
}

/** Returns undefined if SQLite fails: the buffer tries again, and reports it. */
function ignoreSqliteError<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/** A full disk, a lock or an I/O error: SQLite refuses no single row of these tables. */
function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error;
}
