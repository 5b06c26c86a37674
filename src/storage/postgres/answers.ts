import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StoredAnswer } from '../../domain/answer.ts';
import type { Log } from '../../log.ts';
import {
  replaces,
  maxOutOfOrderMs,
  type AnswerStore,
  type StoredDetail,
} from '../../registries/cache/store.ts';
import { singleRow } from '../../shared/sql-database.ts';
import {
  RowCache,
  hasRegistration,
  toAnswer,
  toRow,
  type PartialAnswerRow,
  type AnswerRow,
} from '../row.ts';
import { queryBatches } from '../query-batches.ts';
import { WriteBuffer, type RowTable } from '../write-buffer.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import type { Database } from './database.ts';

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

/** Rows per delete: a few milliseconds. */
const maxDeletedRows = 200;

/** Accesses the table of answers. Each call is one statement, and rejects like `Database.rows`. */
class AnswerTable implements RowTable {
  readonly #database: Pick<Database, 'rows'>;

  constructor(database: Pick<Database, 'rows'>) {
    this.#database = database;
  }

  read(names: readonly string[], detail: StoredDetail): Promise<readonly PartialAnswerRow[]> {
    return this.#database.rows<PartialAnswerRow>(read[detail], [names]);
  }

  /**
   * Writes rows together or, if the database rejects them, one by one, so that a rejected row does
   * not affect the others.
   */
  async write(rows: readonly AnswerRow[]): Promise<void> {
    try {
      await this.#writeAll(rows);
    } catch (error) {
      if (this.isUnavailable(error)) throw error;
      await this.#writeEach(rows);
    }
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof DatabaseUnavailableError;
  }

  /**
   * Deletes some answers older than `before` (epoch ms), or their records. Resolves to false if none
   * is left or another node is deleting them.
   */
  async deleteOld(what: keyof typeof deletions, before: number): Promise<boolean> {
    const values = [before, maxDeletedRows];
    const [result] = await this.#database.rows<{ deleted: number }>(deletions[what], values);
    return result?.deleted === maxDeletedRows;
  }

  async #writeAll(rows: readonly AnswerRow[]): Promise<void> {
    await this.#database.rows(
      write,
      columns.map((column) => rows.map((row) => row[column])),
    );
  }

  async #writeEach(rows: readonly AnswerRow[]): Promise<void> {
    const errors: unknown[] = [];
    for (const row of rows) {
      try {
        await this.#writeOne(row);
      } catch (error) {
        if (this.isUnavailable(error)) throw error;
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  async #writeOne(row: AnswerRow): Promise<void> {
    try {
      await this.#writeAll([row]);
    } catch (error) {
      // The answer that the row should have replaced is outdated.
      if (!this.isUnavailable(error))
        await this.#database.rows(deleteOlder, [row.name, row.checkedAt, row.verdict]);
      throw error;
    }
  }
}

const columns = [
  'name',
  'verdict',
  'endpoint',
  'checkedAt',
  'expiresAt',
  'summary',
  'record',
  'evidence',
] as const;

const verdictColumns =
  'name, verdict, endpoint, checked_at AS "checkedAt", expires_at AS "expiresAt", evidence';
const selectRows = (columnList: string) =>
  `SELECT ${columnList} FROM answers WHERE name = ANY($1::text[])`;
const read = {
  verdict: selectRows(verdictColumns),
  registration: selectRows(`${verdictColumns}, summary, record`),
};

/** The rule of `replaces` in the answer store, as SQL. */
const replacesStored = (checkedAt: string, verdict: string) => `
  ${checkedAt} >= stored.checked_at OR stored.checked_at > ${checkedAt} + ${maxOutOfOrderMs}
    OR (stored.verdict = 'AVAILABLE' AND ${verdict} <> 'AVAILABLE')`;

// The statement does not wait for the disk: a crash may lose the latest answers, which can be
// looked up again. Rows are sorted by name, since two nodes that write the same names in different
// orders would deadlock.
const write = `
  WITH asynchronous AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO answers AS stored (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  SELECT new.*
  FROM asynchronous, unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
    AS new (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  ORDER BY new.name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, endpoint = excluded.endpoint, checked_at = excluded.checked_at,
    expires_at = excluded.expires_at, summary = excluded.summary, record = excluded.record, evidence = excluded.evidence
  WHERE ${replacesStored('excluded.checked_at', 'excluded.verdict')}`;

const deleteOlder = `DELETE FROM answers AS stored WHERE name = $1 AND (${replacesStored('$2::bigint', '$3::text')})`;

/**
 * Selects some rows, oldest first, unless another node is doing so; skips rows that are being
 * written. Deleting answers and deleting records have locks of their own: a node that has begun with
 * the records must not end another one's deletion of answers.
 */
const selectBatch = (lock: string, condition: string) => `
  SELECT name FROM answers
  WHERE ${condition} AND (SELECT pg_try_advisory_xact_lock(hashtext('rdap-graphql-gateway: ${lock}')))
  ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const deletions = {
  answers: `
    WITH old AS MATERIALIZED (${selectBatch('delete answers', 'checked_at < $1')}),
      deleted AS (DELETE FROM answers USING old WHERE answers.name = old.name RETURNING 1)
    SELECT count(*) AS deleted FROM deleted`,
  records: `
    WITH old AS MATERIALIZED (${selectBatch('delete records', 'checked_at < $1 AND record IS NOT NULL')}),
      deleted AS (UPDATE answers SET record = NULL FROM old WHERE answers.name = old.name RETURNING 1)
    SELECT count(*) AS deleted FROM deleted`,
};
