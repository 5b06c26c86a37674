import type { StatementSync } from 'node:sqlite';
import { replaces, type StoredDetail } from '../../registries/cache/store.ts';
import type { SqlParams } from '../../shared/sql-database.ts';
import {
  hasRecord,
  summaryWithoutRecord,
  type PartialAnswerRow,
  type AnswerRow,
  type RegisteredRow,
} from '../row.ts';
import { inTransaction, prepareAll } from './open.ts';
import { RecordBlocks, groupRecords, withRecords, type BlockRow } from './record-blocks.ts';
import { SqlFile } from './sql-file.ts';

/** Rows per delete: a few milliseconds, during which no other request is served. */
const maxDeleted = { answers: 50, records: 10 };

type Statements<Table> = Readonly<Record<keyof Table, StatementSync>>;

/** Stores answers in one SQLite file. Every method blocks, and throws what SQLite throws. */
export class AnswersFile {
  readonly #file: SqlFile;
  readonly #reads: Statements<typeof readStatements>;
  readonly #answers: Statements<typeof answerStatements>;
  readonly #registrations: Statements<typeof registrationStatements>;
  readonly #blocks: RecordBlocks;

  /** Opens or creates the file. */
  constructor(path: string) {
    this.#file = new SqlFile(path, 'answers');
    try {
      // A system crash may lose the latest answers, which can be looked up again. Deleted data is
      // overwritten, as contacts are personal data. 8 MB hold the upper pages of the verdicts of a
      // million names.
      this.#file.database.exec(
        'PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8000',
      );
      this.#reads = prepareAll(this.#file.database, readStatements);
      this.#answers = prepareAll(this.#file.database, answerStatements);
      this.#registrations = prepareAll(this.#file.database, registrationStatements);
      this.#blocks = new RecordBlocks(this.#file.database);
    } catch (error) {
      this.#file.database.close();
      throw error;
    }
  }

  read(names: readonly string[], detail: StoredDetail): readonly PartialAnswerRow[] {
    const rows = this.#reads[detail].all(JSON.stringify(names));
    if (detail === 'verdict') return rows as unknown as PartialAnswerRow[];
    return withRecords(rows as unknown as BlockRow[]);
  }

  /** Returns whether AVAILABLE is stored for a name. */
  isAvailable(name: string): boolean {
    return this.#answers.find.get(name)?.['verdict'] === 'AVAILABLE';
  }

  /**
   * Stores all rows, or none if it throws. A row that is older than the stored one changes nothing.
   */
  write(rows: readonly AnswerRow[]): void {
    inTransaction(this.#file.database, () => {
      for (const endpoint of new Set(rows.map((row) => row.endpoint)))
        this.#answers.addEndpoint.run(endpoint);

      // Compressing a single record takes 30 µs and saves less: few records wait for the next expiry.
      const groups = groupRecords(rows.filter(hasRecord));
      const grouped = new Set<AnswerRow>(groups.flat());
      for (const row of rows) if (!grouped.has(row)) this.#writeRow(row);
      for (const group of groups) this.#writeBlock(group);
    });
  }

  /**
   * Deletes some answers older than `before` (epoch ms), or their records, and compresses those that
   * are left. Returns false if nothing is left to do.
   */
  deleteOld(what: 'answers' | 'records', before: number): boolean {
    return inTransaction(this.#file.database, () => {
      if (what === 'records')
        return this.#blocks.clean(before) || this.#deleteRecords(before) || this.#blocks.pack();
      this.#blocks.forgetOldest(before, maxDeleted.answers);
      this.#registrations.deleteOld.run(before, maxDeleted.answers);
      const { changes } = this.#answers.deleteOld.run(before, maxDeleted.answers);
      return changes === maxDeleted.answers;
    });
  }

  #deleteRecords(before: number): boolean {
    const { withRecord, summarize } = this.#registrations;
    const rows = withRecord.all(before, maxDeleted.records) as unknown as ({
      id: number;
    } & RegisteredRow)[];
    for (const row of rows) summarize.run(summaryWithoutRecord(row), row.id);
    return rows.length === maxDeleted.records;
  }

  /** Runs one statement. */
  query(sql: string, params: SqlParams): readonly unknown[] {
    return this.#file.run([sql], params);
  }

  /** Empties the write-ahead log. */
  truncateLog(): void {
    this.#file.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#file.database.close();
  }

  #writeBlock(rows: readonly (AnswerRow & RegisteredRow)[]): void {
    const records = rows.flatMap((row) => {
      const id = this.#writeRow({ ...row, record: null });
      return id === null ? [] : [{ id, checkedAt: row.checkedAt, record: row.record }];
    });
    this.#blocks.add(records);
  }

  /** Returns the ID of the registration; null if there is none, or the stored answer is newer. */
  #writeRow({ name, summary, record, ...row }: AnswerRow): number | bigint | null {
    const stored = this.#answers.find.get(name) as
      (Pick<AnswerRow, 'checkedAt' | 'verdict'> & { registration: number | null }) | undefined;
    if (!replaces(row, stored)) return null;

    const registration = this.#writeRegistration(
      stored?.registration ?? null,
      row.checkedAt,
      summary,
      record,
    );

    this.#answers.write.run({ name, ...row, registration });
    return registration;
  }

  /** Returns the ID of the registration; null if there is none. */
  #writeRegistration(
    id: number | null,
    checkedAt: number,
    summary: string | null,
    record: string | null,
  ): number | bigint | null {
    if (id !== null) this.#blocks.forget(id);
    if (summary !== null)
      return this.#registrations.write.run(id, checkedAt, summary, record).lastInsertRowid;
    this.#registrations.delete.run(id);
    return null;
  }
}

// CROSS JOIN fixes the join order: the requested names come first. As fast as `IN` with 500
// parameters.
const readColumns = (extraColumns: string, join = '') =>
  `SELECT name, verdict, url AS endpoint, answers.checked_at AS checkedAt, expires_at AS expiresAt, evidence ${extraColumns}
   FROM json_each(?) AS requested CROSS JOIN answers ON name = requested.value CROSS JOIN endpoints ON endpoints.id = endpoint ${join}`;

const readStatements = {
  verdict: readColumns(''),
  registration: readColumns(
    ', summary, record, registration, block, records',
    'LEFT JOIN registrations ON registrations.id = registration LEFT JOIN blocks ON blocks.id = block ORDER BY block',
  ),
};

/** Selects the oldest answers before a time. */
const oldest = (column: string) =>
  `(SELECT ${column} FROM answers WHERE checked_at < ? ORDER BY checked_at, name LIMIT ?)`;

const answerStatements = {
  find: 'SELECT checked_at AS checkedAt, verdict, registration FROM answers WHERE name = ?',
  addEndpoint: 'INSERT INTO endpoints (url) VALUES (?) ON CONFLICT DO NOTHING',
  write: `
    INSERT OR REPLACE INTO answers (name, verdict, endpoint, checked_at, expires_at, evidence, registration)
    VALUES (:name, :verdict, (SELECT id FROM endpoints WHERE url = :endpoint), :checkedAt, :expiresAt, :evidence, :registration)`,
  deleteOld: `DELETE FROM answers WHERE name IN ${oldest('name')}`,
};

const registrationStatements = {
  write:
    'INSERT OR REPLACE INTO registrations (id, checked_at, summary, record) VALUES (?, ?, ?, ?)',
  delete: 'DELETE FROM registrations WHERE id = ?',
  deleteOld: `DELETE FROM registrations WHERE id IN ${oldest('registration')}`,
  withRecord:
    'SELECT id, summary, record FROM registrations WHERE checked_at < ? AND record IS NOT NULL ORDER BY checked_at LIMIT ?',
  summarize: 'UPDATE registrations SET summary = ?, record = NULL WHERE id = ?',
};
