import { mostOutOfOrderMs, type Extent } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { PartialRow, Row } from '../row.ts';
import type { Database } from './database.ts';

/** The answers' table. Each call is one statement, and rejects as `Database.rows` does. */
export interface AnswerRows {
  read(names: readonly DomainName[], extent: Extent): Promise<readonly PartialRow[]>;
  /** Keeps all of them; one that is older than the kept one changes nothing. Each name once. */
  write(rows: readonly Row[]): Promise<void>;
  /** Deletes what is kept of a name, where this row would replace it. */
  forgetOlder(row: Row): Promise<void>;
  /** Deletes some answers learned before then. False: there is none left, or another node is about it. */
  forgetSomeAnswers(before: number): Promise<boolean>;
  /** Deletes the records of some answers learned before then. False: there is none left, or another node is about it. */
  forgetSomeRecords(before: number): Promise<boolean>;
}

export function answerRows(database: Database): AnswerRows {
  const forgetSome = async (statement: string, before: number) => {
    const [found] = await database.rows<{ forgotten: number }>(statement, [before, slice]);
    return found?.forgotten === slice;
  };
  return {
    read: (names, extent) => database.rows<PartialRow>(read[extent], [names]),
    async write(rows) {
      const columns = (['name', 'verdict', 'endpoint', 'checkedAt', 'expiresAt', 'summary', 'record', 'evidence'] as const).map((column) =>
        rows.map((row) => row[column]),
      );
      await database.rows(keep, columns);
    },
    forgetOlder: async ({ name, checkedAt, verdict }) => void (await database.rows(forgetOlder, [name, checkedAt, verdict])),
    forgetSomeAnswers: (before) => forgetSome(forgetAnswers, before),
    forgetSomeRecords: (before) => forgetSome(forgetRecords, before),
  };
}

/** Rows deleted by one statement: some milliseconds, in which others are served. */
const slice = 200;

const verdictColumns = 'name, verdict, endpoint, checked_at AS "checkedAt", expires_at AS "expiresAt", evidence';
const readColumns = (columns: string) => `SELECT ${columns} FROM answers WHERE name = ANY($1::text[])`;
const read = { verdict: readColumns(verdictColumns), registration: readColumns(`${verdictColumns}, summary, record`) };

/** As `replaces` says of what is kept. */
const replaces = (checkedAt: string, verdict: string) => `
  ${checkedAt} >= kept.checked_at OR kept.checked_at > ${checkedAt} + ${mostOutOfOrderMs}
    OR (kept.verdict = 'AVAILABLE' AND ${verdict} <> 'AVAILABLE')`;

// A crash may cost the last answers, which can be asked again: nobody waits for the disk. In the order of their names, as two nodes that
// write the same ones in different orders would lock each other out.
const keep = `
  WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO answers AS kept (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  SELECT learned.*
  FROM hasty, unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
    AS learned (name, verdict, endpoint, checked_at, expires_at, summary, record, evidence)
  ORDER BY learned.name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, endpoint = excluded.endpoint, checked_at = excluded.checked_at,
    expires_at = excluded.expires_at, summary = excluded.summary, record = excluded.record, evidence = excluded.evidence
  WHERE ${replaces('excluded.checked_at', 'excluded.verdict')}`;

const forgetOlder = `DELETE FROM answers AS kept WHERE name = $1 AND (${replaces('$2::bigint', '$3::text')})`;

/** Some rows that fit, the oldest first, if no other node is at it: never one that somebody writes just now. */
const someOf = (fitting: string) => `
  SELECT name FROM answers
  WHERE ${fitting} AND (SELECT pg_try_advisory_xact_lock(hashtext('rdap-graphql-gateway: sweep')))
  ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const forgetAnswers = `
  WITH old AS MATERIALIZED (${someOf('checked_at < $1')}),
    forgotten AS (DELETE FROM answers USING old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS forgotten FROM forgotten`;

const forgetRecords = `
  WITH old AS MATERIALIZED (${someOf('checked_at < $1 AND record IS NOT NULL')}),
    forgotten AS (UPDATE answers SET record = NULL FROM old WHERE answers.name = old.name RETURNING 1)
  SELECT count(*) AS forgotten FROM forgotten`;
