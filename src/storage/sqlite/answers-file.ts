import type { DatabaseSync } from 'node:sqlite';
import { replaces, type StoredDetail } from '../../registries/cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { PartialAnswerRow, AnswerRow } from '../row.ts';
import { migrations, prepare } from './answers-tables.ts';
import { inTransaction, openSqliteDatabase } from './open.ts';

/** Rows per delete: about 2 ms, during which no other request is served. */
const maxDeletedRows = 100;

/** Stores answers in one SQLite file. Every method blocks, and throws what SQLite throws. */
export class AnswersFile {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepare>;

  /** Opens or creates the file. */
  constructor(path: string) {
    this.#database = openSqliteDatabase(path, migrations);
    try {
      // A system crash may lose the latest answers, which can be looked up again. Deleted data is
      // overwritten, as contacts are personal data. 8 MB hold the upper pages of the verdicts of a
      // million names.
      this.#database.exec(
        'PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8000',
      );
      this.#statements = prepare(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  read(names: readonly DomainName[], detail: StoredDetail): readonly PartialAnswerRow[] {
    return this.#statements.read[detail].all(
      JSON.stringify(names),
    ) as unknown as PartialAnswerRow[];
  }

  /** Returns whether AVAILABLE is stored for a name. */
  isAvailable(name: DomainName): boolean {
    return this.#statements.find.get(name)?.['verdict'] === 'AVAILABLE';
  }

  /**
   * Stores all rows, or none if it throws. A row that is older than the stored one changes nothing.
   */
  write(rows: readonly AnswerRow[]): void {
    inTransaction(this.#database, () => {
      for (const endpoint of new Set(rows.map((row) => row.endpoint)))
        this.#statements.addEndpoint.run(endpoint);
      for (const row of rows) this.#writeRow(row);
    });
  }

  /** Deletes some answers older than `before` (epoch ms). Returns false if none is left. */
  deleteAnswers(before: number): boolean {
    return inTransaction(this.#database, () => {
      this.#statements.registrations.deleteOld.run(before, maxDeletedRows);
      return this.#statements.deleteOld.run(before, maxDeletedRows).changes === maxDeletedRows;
    });
  }

  /**
   * Deletes the records of some answers older than `before` (epoch ms). Returns false if none is
   * left.
   */
  deleteRecords(before: number): boolean {
    return (
      this.#statements.registrations.deleteRecords.run(before, maxDeletedRows).changes ===
      maxDeletedRows
    );
  }

  readValues(prefix: string): Map<string, string> {
    return new Map(
      this.#statements.keyValues.read
        .all({ prefix })
        .map(({ key, note }) => [String(key), String(note)]),
    );
  }

  putValue(key: string, value: string): void {
    this.#statements.keyValues.put.run(key, value);
  }

  /** Stores a value unless the key has one. Returns the stored value. */
  putValueIfAbsent(key: string, value: string): string {
    return String(this.#statements.keyValues.putIfAbsent.get(key, value)?.['note']);
  }

  /** Deletes a key if it still has this value. */
  deleteValueIf(key: string, value: string): void {
    this.#statements.keyValues.deleteIf.run(key, value);
  }

  /** Empties the write-ahead log. */
  truncateLog(): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#database.close();
  }

  #writeRow({ name, summary, record, ...row }: AnswerRow): void {
    const stored = this.#statements.find.get(name) as
      (Pick<AnswerRow, 'checkedAt' | 'verdict'> & { registration: number | null }) | undefined;
    if (!replaces(row, stored)) return;
    const registration = this.#writeRegistration(
      stored?.registration ?? null,
      row.checkedAt,
      summary,
      record,
    );
    this.#statements.write.run({ name, ...row, registration });
  }

  /** Returns the id of the registration; null if there is none. */
  #writeRegistration(
    id: number | null,
    checkedAt: number,
    summary: string | null,
    record: string | null,
  ): number | bigint | null {
    const { registrations } = this.#statements;
    if (summary !== null)
      return registrations.write.run(id, checkedAt, summary, record).lastInsertRowid;
    registrations.delete.run(id);
    return null;
  }
}
