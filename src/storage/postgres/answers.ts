import type { StoredAnswer } from '../../domain/answer.ts';
import type { Log } from '../../log.ts';
import { replaces, maxOutOfOrderMs, type StoredDetail } from '../../registries/cache/store.ts';
import type { SqlParams } from '../../shared/sql-database.ts';
import { queryBatches } from '../query-batches.ts';
import {
  RowCache,
  hasRegistration,
  summaryWithoutRecord,
  toAnswer,
  toRow,
  type PartialAnswerRow,
  type AnswerRow,
  type RegisteredRow,
} from '../row.ts';
import { SqlAnswers, type AnswerTables } from '../sql-answers.ts';
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
export class PostgresAnswers extends SqlAnswers {
  readonly #table: AnswerTable;
  readonly #copy = new RowCache(maxCopiedCharacters);
  readonly #reads: Readonly<
    Record<StoredDetail, (name: string) => Promise<PartialAnswerRow | null>>
  >;

  constructor(database: Pick<Database, 'rows'>, log: Log) {
    const table = new AnswerTable(database);
    super(table, 0, log);
    this.#table = table;
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
    const unwrittenBefore = names.flatMap((name) => this.unwritten.get(name) ?? []);
    const areLate = this.unwritten.isFailing;
    const rows = names.length > 0 ? await this.#readRows(names, detail) : [];
    const found = new Map(rows.map((row) => [row.name, toAnswer(row, this.onParserError)]));
    for (const answer of [
      ...unwrittenBefore,
      ...names.flatMap((name) => this.unwritten.get(name) ?? []),
    ]) {
      if (replaces(answer, found.get(answer.name), areLate)) found.set(answer.name, answer);
    }

    return found;
  }

  async putAnswer(answer: StoredAnswer): Promise<void> {
    this.#copy.put(toRow(answer));
    return this.unwritten.add(answer);
  }

  override async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    await this.#copy.sweep(answersBefore, recordsBefore);
    await super.deleteExpired(answersBefore, recordsBefore);
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
}

/** Rows per delete: a few milliseconds, in the database for answers, in this process for records. */
const maxDeleted = { answers: 200, records: 10 };

/** The tables in a database that several nodes share. Each call is one statement. */
class AnswerTable implements AnswerTables {
  readonly #database: Pick<Database, 'rows'>;

  constructor(database: Pick<Database, 'rows'>) {
    this.#database = database;
  }

  query(sql: string, params: SqlParams) {
    return this.#database.rows(sql, params);
  }

  read(names: readonly string[], detail: StoredDetail): Promise<readonly PartialAnswerRow[]> {
    return this.#database.rows<PartialAnswerRow>(read[detail], [names]);
  }

  async write(rows: readonly AnswerRow[], areLate: boolean): Promise<void> {
    try {
      const values = columns.map((column) => rows.map((row) => row[column]));
      await this.#database.rows(areLate ? writeLate : write, values);
    } catch (error) {
      const [row, ...others] = rows;
      // The answer that a rejected row should have replaced is outdated.
      if (row && others.length === 0 && !this.isUnavailable(error))
        await this.#database.rows(deleteOlder, [row.name, row.checkedAt, row.verdict]);
      throw error;
    }
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof DatabaseUnavailableError;
  }

  async deleteOld(what: 'answers' | 'records', before: number): Promise<boolean> {
    const deleted = await (what === 'answers'
      ? this.#delete(deleteAnswers, [before, maxDeleted.answers])
      : this.#deleteRecords(before));
    return deleted === maxDeleted[what];
  }

  async #deleteRecords(before: number): Promise<number> {
    const rows = await this.#database.rows<Pick<AnswerRow, 'name' | 'checkedAt'> & RegisteredRow>(
      oldRecords,
      [before, maxDeleted.records],
    );
    const names = rows.map(({ name }) => name);
    const times = rows.map(({ checkedAt }) => checkedAt);

    return this.#delete(deleteRecords, [names, times, rows.map(summaryWithoutRecord)]);
  }

  /** Returns how many rows were deleted or changed. */
  async #delete(statement: string, values: readonly unknown[]): Promise<number> {
    const [result] = await this.#database.rows<{ deleted: number }>(statement, values);
    return result?.deleted ?? 0;
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
const replacesStored = (checkedAt: string, verdict: string, isLate = false) => `
  ${checkedAt} >= stored.checked_at OR CASE
    WHEN stored.checked_at > ${checkedAt} + ${maxOutOfOrderMs} THEN ${!isLate}
    ELSE stored.verdict = 'AVAILABLE' AND ${verdict} <> 'AVAILABLE' END`;

// The statement does not wait for the disk: a crash may lose the latest answers, which can be
// looked up again. Rows are sorted by name, since two nodes that write the same names in different
// orders would deadlock.
const writeOf = (isLate: boolean) => `
  WITH asynchronous AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO answers AS stored (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  SELECT new.*
  FROM asynchronous, unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
    AS new (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  ORDER BY new.name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, endpoint = excluded.endpoint, checked_at = excluded.checked_at,
    expires_at = excluded.expires_at, summary = excluded.summary, record = excluded.record, evidence = excluded.evidence
  WHERE ${replacesStored('excluded.checked_at', 'excluded.verdict', isLate)}`;
const [write, writeLate] = [writeOf(false), writeOf(true)];

const deleteOlder = `DELETE FROM answers AS stored WHERE name = $1 AND (${replacesStored('$2::bigint', '$3::text')})`;

/**
 * Deleting answers and deleting records have locks of their own: a node that has begun with the
 * records must not end another one's deletion of answers.
 */
const unlessLocked = (lock: string) =>
  `(SELECT pg_try_advisory_xact_lock(hashtext('rdap-graphql-gateway: ${lock}')))`;

// Both skip rows that are being written, and do nothing while another node does the same.
const deleteAnswers = `
  WITH old AS MATERIALIZED (
      SELECT name FROM answers WHERE checked_at < $1 AND ${unlessLocked('delete answers')}
      ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED),
    deleted AS (DELETE FROM answers USING old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS deleted FROM deleted`;

const oldRecords = `
  SELECT name, checked_at AS "checkedAt", summary, record FROM answers
  WHERE checked_at < $1 AND record IS NOT NULL ORDER BY checked_at LIMIT $2`;

const deleteRecords = `
  WITH old AS MATERIALIZED (
      SELECT name, new.summary
      FROM answers JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS new (name, checked_at, summary)
        USING (name, checked_at)
      WHERE record IS NOT NULL AND ${unlessLocked('delete records')}
      FOR UPDATE OF answers SKIP LOCKED),
    deleted AS (
      UPDATE answers SET summary = old.summary, record = NULL
      FROM old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS deleted FROM deleted`;
