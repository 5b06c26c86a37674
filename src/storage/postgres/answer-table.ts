import { maxOutOfOrderMs, type StoredDetail } from '../../registries/cache/store.ts';
import type { PartialAnswerRow, AnswerRow } from '../row.ts';
import type { RowTable } from '../write-buffer.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import type { Database } from './database.ts';

/** Rows per delete: a few milliseconds. */
const maxDeletedRows = 200;

/** Accesses the table of answers. Each call is one statement, and rejects like `Database.rows`. */
export class AnswerTable implements RowTable {
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
const replaces = (checkedAt: string, verdict: string) => `
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
  WHERE ${replaces('excluded.checked_at', 'excluded.verdict')}`;

const deleteOlder = `DELETE FROM answers AS stored WHERE name = $1 AND (${replaces('$2::bigint', '$3::text')})`;

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
