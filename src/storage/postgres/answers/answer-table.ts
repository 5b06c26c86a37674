import { maxOutOfOrderMs, type StoredDetail } from '../../../cache/store.ts';
import type { DomainName } from '../../../domain/domain-name.ts';
import type { PartialAnswerRow, AnswerRow } from '../../row.ts';
import type { RowTable } from '../../write-buffer.ts';
import { DatabaseUnavailableError } from '../database/database-unavailable.ts';
import type { Database } from '../database/database.ts';

/** Rows deleted by one statement: some milliseconds, in which others are served. */
const maxDeletedRows = 200;

/** The table of answers. Each call is one statement, and rejects as `Database.rows` does. */
export class AnswerTable implements RowTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(names: readonly DomainName[], extent: StoredDetail): Promise<readonly PartialAnswerRow[]> {
    return this.#database.rows<PartialAnswerRow>(read[extent], [names]);
  }

  /** Writes the rows one by one if the database refuses them together, so that a refused one costs no other. */
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

  /** Deletes some answers from before a moment (epoch ms). Resolves to false if none is left, or another node does so. */
  deleteAnswers(before: number): Promise<boolean> {
    return this.#deleteBatch(deleteAnswers, before);
  }

  /** Deletes the records of some answers from before a moment (epoch ms). Resolves to false if none is left, or another node does so. */
  deleteRecords(before: number): Promise<boolean> {
    return this.#deleteBatch(deleteRecords, before);
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
      // What the row was to replace is not true any more.
      if (!this.isUnavailable(error))
        await this.#database.rows(deleteOlder, [row.name, row.checkedAt, row.verdict]);
      throw error;
    }
  }

  async #deleteBatch(statement: string, before: number): Promise<boolean> {
    const [result] = await this.#database.rows<{ deleted: number }>(statement, [
      before,
      maxDeletedRows,
    ]);
    return result?.deleted === maxDeletedRows;
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

/** The same rule as `replaces` of the answer store. */
const replaces = (checkedAt: string, verdict: string) => `
  ${checkedAt} >= stored.checked_at OR stored.checked_at > ${checkedAt} + ${maxOutOfOrderMs}
    OR (stored.verdict = 'AVAILABLE' AND ${verdict} <> 'AVAILABLE')`;

// A crash may lose the latest answers, which can be looked up again: the statement does not wait for the disk. In the order of the names, as two
// nodes that write the same ones in different orders would deadlock.
const write = `
  WITH asynchronous AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO answers AS stored (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  SELECT new.*
  FROM asynchronous, unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
    AS new (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  ORDER BY new.name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, endpoint = excluded.endpoint, checked_at = excluded.checked_at,
    expires_at = excluded.expires_at, summary = excluded.summary, record = excluded.record, evidence = excluded.evidence
  WHERE ${replaces('excluded.checked_at', 'excluded.verdict')}`;

const deleteOlder = `DELETE FROM answers AS stored WHERE name = $1 AND (${replaces('$2::bigint', '$3::text')})`;

/** Selects some rows, the oldest first, unless another node does so: never one that is being written. */
const selectBatch = (condition: string) => `
  SELECT name FROM answers
  WHERE ${condition} AND (SELECT pg_try_advisory_xact_lock(hashtext('rdap-graphql-gateway: sweep')))
  ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const deleteAnswers = `
  WITH old AS MATERIALIZED (${selectBatch('checked_at < $1')}),
    deleted AS (DELETE FROM answers USING old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS deleted FROM deleted`;

const deleteRecords = `
  WITH old AS MATERIALIZED (${selectBatch('checked_at < $1 AND record IS NOT NULL')}),
    deleted AS (UPDATE answers SET record = NULL FROM old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS deleted FROM deleted`;
