import { LRUCache } from 'lru-cache';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  replaces,
  type AnswerStore,
  type Extent,
  type StoredAnswer,
} from '../../../cache/store.ts';
import type { DomainName } from '../../../domain/domain-name.ts';
import type { Log } from '../../../log.ts';
import { charactersOf, toAnswer, toRow, type Row } from '../../row.ts';
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

interface Recent {
  readonly answer: StoredAnswer;
  readonly extent: Extent;
}

/** Stores answers in a SQLite file. */
export class SqliteAnswers implements AnswerStore {
  readonly found = { memory: 0, store: 0 };
  readonly #file: SelfHealingFile<AnswersFile>;
  readonly #unwritten: WriteBuffer;
  /** Answers as they were read: parsing their JSON again would take longer than the rest of a lookup. */
  readonly #recent = new LRUCache<DomainName, Recent>({ maxSize: maxRecentCharacters });
  #isClosing = false;

  /** Opens or creates the file. Throws if the path cannot be used. */
  constructor(path: string, log: Log) {
    this.#file = new SelfHealingFile(path, (at) => new AnswersFile(at), log);
    const table = {
      write: (rows: readonly Row[]) => this.#write(rows),
      isUnavailable: isSqliteError,
    };
    this.#unwritten = new WriteBuffer(table, writeDelayMs, log);
  }

  async getMany(
    names: readonly DomainName[],
    extent: Extent,
  ): Promise<Map<DomainName, StoredAnswer>> {
    const found = this.#read(names, extent);
    for (const name of names) {
      const unwritten = this.#unwritten.get(name);
      if (!unwritten || !replaces(unwritten, found.get(name))) continue;
      if (!found.has(name)) this.found.memory += 1;
      found.set(name, unwritten);
    }
    return found;
  }

  async put(answer: StoredAnswer): Promise<void> {
    const contradicts = this.#contradicts(answer);
    const written = this.#unwritten.add(answer);
    // Before a caller reads the answer, and although the buffer writes it again.
    if (contradicts) this.#writeAtOnce(answer);
    return written;
  }

  async read(prefix: string): Promise<Map<string, string>> {
    return this.#file.use((file) => file.readNotes(prefix));
  }

  async write(key: string, note: string): Promise<void> {
    this.#file.use((file) => file.writeNote(key, note));
  }

  async writeFirst(key: string, note: string): Promise<string> {
    return this.#file.use((file) => file.writeNoteIfAbsent(key, note));
  }

  async forget(key: string, note: string): Promise<void> {
    this.#file.use((file) => file.deleteNote(key, note));
  }

  async sweep(answersBefore: number, recordsBefore: number): Promise<void> {
    await this.#unwritten.flush();
    await this.#repeat((file) => file.deleteAnswers(answersBefore));
    await this.#repeat((file) => file.deleteRecords(recordsBefore));
    // What was deleted can still be read in the write-ahead log.
    if (!this.#isClosing) this.#file.use((file) => file.truncateLog());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#unwritten.close();
    this.#file.close();
  }

  #read(names: readonly DomainName[], extent: Extent): Map<DomainName, StoredAnswer> {
    const found = new Map<DomainName, StoredAnswer>();
    const others: DomainName[] = [];
    for (const name of names) {
      const recent = this.#recent.get(name);
      if (recent && (recent.extent === extent || extent === 'verdict'))
        found.set(name, recent.answer);
      else others.push(name);
    }
    this.found.memory += found.size;
    if (others.length > 0)
      for (const answer of this.#readFile(others, extent)) found.set(answer.name, answer);
    return found;
  }

  #readFile(names: readonly DomainName[], extent: Extent): readonly StoredAnswer[] {
    const read = this.#file.use((file) =>
      file.read(names, extent).map((row) => ({ answer: toAnswer(row), size: charactersOf(row) })),
    );
    this.found.store += read.length;
    for (const { answer, size } of read)
      this.#recent.set(answer.name, { answer, extent }, { size });
    return read.map(({ answer }) => answer);
  }

  /** Whether an AVAILABLE that is stored, or will be, is not true any more: it must not be returned after a crash either. */
  #contradicts({ name, verdict }: StoredAnswer): boolean {
    if (verdict === 'AVAILABLE') return false;
    return (
      this.#unwritten.get(name)?.verdict === 'AVAILABLE' ||
      ignoreSqliteError(() => this.#file.use((file) => file.isAvailable(name))) === true
    );
  }

  #writeAtOnce(answer: StoredAnswer): void {
    ignoreSqliteError(() => this.#write([toRow(answer)]));
  }

  #write(rows: readonly Row[]): void {
    this.#file.use((file) => file.write(rows));
    for (const { name } of rows) this.#recent.delete(name);
  }

  /** Repeats a step that deletes some rows until there are none left, and serves others in between. */
  async #repeat(deleteSome: (file: AnswersFile) => boolean): Promise<void> {
    while (!this.#isClosing) {
      this.#recent.clear();
      if (!this.#file.use(deleteSome)) return;
      await nextTurn();
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
