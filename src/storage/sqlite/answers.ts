import { LRUCache } from 'lru-cache';
import type { StoredAnswer } from '../../domain/answer.ts';
import type { Verdict } from '../../domain/verdict.ts';
import { replaces, type StoredDetail } from '../../registries/cache/store.ts';
import type { Log } from '../../log.ts';
import { charactersOf, toAnswer, toRow, type AnswerRow } from '../row.ts';
import { SqlAnswers, type AnswerTables } from '../sql-answers.ts';
import { AnswersFile } from './answers-file.ts';
import { existsSync, renameSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import { SqliteSchemaTooNewError } from './open.ts';

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
export class SqliteAnswers extends SqlAnswers {
  readonly #file: SelfHealingFile;
  /** Parsed answers: parsing their JSON again would take longer than the rest of a lookup. */
  readonly #recent = new LRUCache<string, RecentAnswer>({ maxSize: maxRecentCharacters });

  /** Opens or creates the file. Throws if the path cannot be used. */
  constructor(path: string, log: Log) {
    const file = new SelfHealingFile(path, log);
    const tables: AnswerTables = {
      write: (rows) => this.#write(rows),
      isUnavailable: isSqliteError,
      deleteOld: (what, before) => {
        this.#recent.clear();
        return file.use((open) => open.deleteOld(what, before));
      },
      query: (sql, params) => file.use((open) => open.query(sql, params)),
      close: () => file.close(),
    };
    super(tables, writeDelayMs, log);
    this.#file = file;
  }

  async getAnswers(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<Map<string, StoredAnswer>> {
    const found = this.#read(names, detail);
    for (const name of names) {
      const unwritten = this.unwritten.get(name);
      if (!unwritten || !replaces(unwritten, found.get(name))) continue;
      if (!found.has(name)) this.hits.memory += 1;
      found.set(name, unwritten);
    }

    return found;
  }

  async putAnswer(answer: StoredAnswer, previous?: Verdict | null): Promise<void> {
    const contradicts = this.#contradicts(answer, previous);
    const written = this.unwritten.add(answer);
    // The file must be correct before a caller sees the answer; the buffer writes it a second time.
    if (contradicts) ignoreSqliteError(() => this.#write([toRow(answer)]));
    return written;
  }

  override async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    await super.deleteExpired(answersBefore, recordsBefore);
    // The write-ahead log still contains deleted data.
    if (!this.isClosing) this.#file.use((file) => file.truncateLog());
  }

  #read(names: readonly string[], detail: StoredDetail): Map<string, StoredAnswer> {
    const found = new Map<string, StoredAnswer>();
    const uncached: string[] = [];
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

  #readFile(names: readonly string[], detail: StoredDetail): readonly StoredAnswer[] {
    const entries = this.#file.use((file) =>
      file.read(names, detail).map((row) => ({
        answer: toAnswer(row, this.onParserError),
        size: charactersOf(row),
      })),
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
  #contradicts({ name, verdict }: StoredAnswer, previous?: Verdict | null): boolean {
    if (verdict === 'AVAILABLE') return false;
    const unwritten = this.unwritten.get(name)?.verdict;
    if (unwritten === 'AVAILABLE') return true;
    // If an answer is buffered, `previous` is that, or older: the file may still have another one.
    if (unwritten === undefined && previous !== undefined) return previous === 'AVAILABLE';
    return ignoreSqliteError(() => this.#file.use((file) => file.isAvailable(name))) === true;
  }

  #write(rows: readonly AnswerRow[]): void {
    this.#file.use((file) => file.write(rows));
    for (const { name } of rows) this.#recent.delete(name);
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

/**
 * A database file whose data may be lost. A corrupt file is renamed, at opening or when it is found
 * to be corrupt, and replaced with an empty one.
 */
class SelfHealingFile {
  readonly #path: string;
  readonly #log: Log;
  #database: AnswersFile;

  /** Throws what SQLite throws for a file that is not corrupt. */
  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;

    try {
      this.#database = new AnswersFile(path);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#database = this.#replace(error);
    }
  }

  /**
   * Runs `work`, and repeats it on an empty database if the file is corrupt. Throws what `work`
   * throws otherwise.
   */
  use<T>(work: (database: AnswersFile) => T): T {
    try {
      return work(this.#database);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#database.close();
      this.#database = this.#replace(error);
      return work(this.#database);
    }
  }

  close(): void {
    this.#database.close();
  }

  #replace(error: unknown): AnswersFile {
    const quarantine = `${this.#path}.broken-${systemClock.now()}`;
    // The file cannot be read without its write-ahead log.
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(this.#path + suffix)) renameSync(this.#path + suffix, quarantine + suffix);
    this.#log.warn(
      { file: this.#path, quarantine, err: error },
      'Corrupt cache database quarantined and recreated.',
    );

    return new AnswersFile(this.#path);
  }
}

/**
 * Returns whether the file itself is corrupt, so that a retry would fail too; a full disk or a lock
 * is not corruption.
 */
function isCorrupt(error: unknown): boolean {
  // SQLite has no checksums: stored JSON that is invalid was damaged on the disk.
  if (error instanceof SqliteSchemaTooNewError || error instanceof SyntaxError) return true;
  // The low byte of an extended result code is the primary one.
  return (
    error instanceof Error && 'errcode' in error && corruptCodes.has(Number(error.errcode) & 0xff)
  );
}

const corruptCodes = new Set([
  1, // SQLITE_ERROR: the tables are not those of the gateway
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]);
