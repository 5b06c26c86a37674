import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StoredAnswer } from '../../domain/answer.ts';
import { replaces, type AnswerStore, type StoredDetail } from '../../registries/cache/store.ts';
import type { Log } from '../../log.ts';
import { RowCache } from '../row-cache.ts';
import { hasRegistration, toAnswer, toRow, type PartialAnswerRow } from '../row.ts';
import { WriteBuffer } from '../write-buffer.ts';
import { AnswerTable } from './answer-table.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import { singleRow, type Database } from './database.ts';
import { queryBatches } from './query-batches.ts';

/** Size of each process's copy of recent answers for database outages, in characters of JSON. */
const maxCopiedCharacters = 30_000_000;
/** Combining concurrent reads into one statement halves their cost. */
const readLimits = { batchSize: 500, concurrentBatches: 2 };

/**
 * Stores answers in PostgreSQL. While it is unavailable, answers that this process has read or
 * stored recently are returned from a copy in memory. New answers are retained there and written
 * later: `put` then resolves although other processes cannot read them yet.
 */
export class PostgresAnswers implements AnswerStore {
  readonly hits = { memory: 0, store: 0 };
  readonly #database: Pick<Database, 'rows'>;
  readonly #table: AnswerTable;
  readonly #unwritten: WriteBuffer;
  readonly #copy = new RowCache(maxCopiedCharacters);
  readonly #reads: Readonly<
    Record<StoredDetail, (name: string) => Promise<PartialAnswerRow | null>>
  >;
  #isClosing = false;

  constructor(database: Pick<Database, 'rows'>, log: Log) {
    this.#database = database;
    this.#table = new AnswerTable(database);
    this.#unwritten = new WriteBuffer(this.#table, 0, log);
    this.#reads = {
      verdict: this.#createReads('verdict'),
      registration: this.#createReads('registration'),
    };
  }

  async getAnswers(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<Map<string, StoredAnswer>> {
    // Includes answers that are written during the read: their statement may run after it.
    const unwrittenBefore = names.flatMap((name) => this.#unwritten.get(name) ?? []);
    const rows = names.length > 0 ? await this.#readRows(names, detail) : [];
    const found = new Map(rows.map((row) => [row.name, toAnswer(row)]));
    for (const answer of [
      ...unwrittenBefore,
      ...names.flatMap((name) => this.#unwritten.get(name) ?? []),
    ]) {
      if (replaces(answer, found.get(answer.name))) found.set(answer.name, answer);
    }
    return found;
  }

  async putAnswer(answer: StoredAnswer): Promise<void> {
    this.#copy.put(toRow(answer));
    return this.#unwritten.add(answer);
  }

  async read(prefix: string): Promise<Map<string, string>> {
    const text = 'SELECT key, note FROM notes WHERE starts_with(key, $1)';
    const rows = await this.#database.rows<{ key: string; note: string }>(text, [prefix]);
    return new Map(rows.map(({ key, note }) => [key, note]));
  }

  async put(key: string, value: string): Promise<void> {
    const text =
      'INSERT INTO notes (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = excluded.note';
    await this.#database.rows(text, [key, value]);
  }

  async putIfAbsent(key: string, value: string): Promise<string> {
    // The update changes nothing: RETURNING returns only rows that were written. It also sees a
    // concurrent write of another node.
    const text =
      'INSERT INTO notes AS n (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = n.note RETURNING n.note';
    return singleRow(await this.#database.rows<{ note: string }>(text, [key, value])).note;
  }

  async deleteIf(key: string, value: string): Promise<void> {
    await this.#database.rows('DELETE FROM notes WHERE key = $1 AND note = $2', [key, value]);
  }

  async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    this.#copy.sweep(answersBefore, recordsBefore);
    await this.#unwritten.flush();
    await this.#deleteAll('answers', answersBefore);
    await this.#deleteAll('records', recordsBefore);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#unwritten.close();
  }

  #createReads(detail: StoredDetail) {
    return queryBatches(async (names: readonly string[]) => {
      const rows = new Map((await this.#table.read(names, detail)).map((row) => [row.name, row]));
      return names.map((name) => rows.get(name) ?? null);
    }, readLimits);
  }

  async #readRows(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<readonly PartialAnswerRow[]> {
    try {
      const rows = (await Promise.all(names.map((name) => this.#reads[detail](name)))).filter(
        (row) => row !== null,
      );
      for (const row of rows) this.#copyRow(row);
      this.hits.store += rows.length;
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      const copies = names
        .flatMap((name) => this.#copy.get(name) ?? [])
        .filter((row) => detail === 'verdict' || hasRegistration(row));
      this.hits.memory += copies.length;
      return copies;
    }
  }

  /** Copies a row; one without its registration does not overwrite a copied registration. */
  #copyRow(row: PartialAnswerRow): void {
    const copied = this.#copy.get(row.name);
    this.#copy.put(copied?.checkedAt === row.checkedAt ? { ...copied, ...row } : row);
  }

  /** Deletes in batches, and yields to other requests in between. */
  async #deleteAll(what: 'answers' | 'records', before: number): Promise<void> {
    while (!this.#isClosing && (await this.#table.deleteOld(what, before)))
      await yieldToEventLoop();
  }
}
