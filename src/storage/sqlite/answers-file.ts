import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { mostOutOfOrderMs, type FoundIn, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { fromRow, toRow, type Row } from '../row.ts';
import { inTransaction, openDatabase } from './open.ts';
import { recentAnswers } from './recent-answers.ts';

/** The answers in one SQLite file. Everything blocks, and throws what SQLite throws. */
export interface AnswersFile {
  read(names: readonly DomainName[]): StoredAnswer[];
  /** Keeps all of them, or none when it throws; an answer older than the kept one changes nothing. */
  write(answers: readonly StoredAnswer[]): void;
  /** Deletes some answers learned before then. False: there is none left. */
  forgetSomeAnswers(before: number): boolean;
  /** Deletes the records of some answers learned before then. False: there is none left. */
  forgetSomeRecords(before: number): boolean;
  readNotes(prefix: string): ReadonlyMap<string, string>;
  writeNote(key: string, note: string): void;
  /** Keeps a note unless there is one, and gives the one that is kept. */
  writeFirstNote(key: string, note: string): string;
  /** Unless another has taken its place. */
  forgetNote(key: string, note: string): void;
  /** Empties the write-ahead log, where what was deleted can still be read. */
  emptyLog(): void;
  close(): void;
}

/** Opens the file, which is made when missing; adds to `found` what it finds, and where. */
export function openAnswersFile(path: string, found: FoundIn): AnswersFile {
  const database = openDatabase(path, migrations);
  try {
    // A crash may cost the last answers, which can be asked again. What is deleted is overwritten: contacts are personal data.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    return answersIn(database, found);
  } catch (error) {
    database.close();
    throw error;
  }
}

function answersIn(database: DatabaseSync, found: FoundIn): AnswersFile {
  const { read, addEndpoint, keep, forgetAnswers, forgetRecords, readNotes, writeNote, writeFirstNote, forgetNote } = prepare(database);
  const recent = recentAnswers(recentCharacters);

  function readAnew(names: readonly DomainName[]): StoredAnswer[] {
    const rows = read.all(JSON.stringify(names)) as unknown as Row[];
    found.store += rows.length;
    const there = new Set(rows.map(({ name }) => name));
    recent.keepAbsent(names.filter((name) => !there.has(name)));
    return rows.map((row) => {
      const answer = fromRow(row);
      recent.keep(answer, sizeOf(row));
      return answer;
    });
  }

  function forgetSome(statement: StatementSync, before: number): boolean {
    recent.clear();
    return statement.run(before, slice).changes === slice;
  }

  return {
    read(names) {
      const known = names.flatMap((name) => recent.get(name) ?? []);
      found.memory += known.length;
      const others = names.filter((name) => !recent.has(name));
      return others.length === 0 ? known : [...known, ...readAnew(others)];
    },
    write(answers) {
      inTransaction(database, () => {
        for (const endpoint of new Set(answers.map((answer) => answer.endpoint))) addEndpoint.run(endpoint);
        for (const answer of answers) keep.run(toRow(answer));
      });
      for (const { name } of answers) recent.forget(name);
    },
    forgetSomeAnswers: (before) => forgetSome(forgetAnswers, before),
    forgetSomeRecords: (before) => forgetSome(forgetRecords, before),
    readNotes: (prefix) => new Map(readNotes.all(prefix).map(({ key, note }) => [String(key), String(note)])),
    writeNote: (key, note) => void writeNote.run(key, note),
    writeFirstNote: (key, note) => String(writeFirstNote.get(key, note)?.['note']),
    forgetNote: (key, note) => void forgetNote.run(key, note),
    emptyLog: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => database.close(),
  };
}

/** Of answers that were read lately, as JSON: some 700 names. As objects they take three times as much. */
const recentCharacters = 4_000_000;

/** What is little, too, takes some room. */
function sizeOf({ summary, record }: Row): number {
  return 500 + (summary?.length ?? 0) + (record?.length ?? 0);
}

/** Rows deleted at once: some 2 ms, in which nobody is served. */
const slice = 100;

// Measured with 6 KB a name: WITHOUT ROWID reads a third of the rows in the same time and takes 1.4 times the bytes.
// The one index serves the sweep of the answers, the other, which shrinks as records are forgotten, that of the records.
const migrations = [
  `CREATE TABLE endpoints (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE answers (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL UNIQUE,
     verdict TEXT NOT NULL,
     endpoint INTEGER NOT NULL REFERENCES endpoints,
     checked_at INTEGER NOT NULL,
     summary TEXT,
     record TEXT,
     evidence TEXT
   ) STRICT;
   CREATE TABLE notes (key TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX answers_by_age ON answers (checked_at);
   CREATE INDEX records_by_age ON answers (checked_at) WHERE record IS NOT NULL;`,
];

function prepare(database: DatabaseSync) {
  return {
    // CROSS JOIN keeps the order of the tables: the names asked for come first. As fast as `IN` with 500 parameters.
    read: database.prepare(
      `SELECT name, verdict, url AS endpoint, checked_at AS checkedAt, summary, record, evidence
       FROM json_each(?) AS asked CROSS JOIN answers ON name = asked.value CROSS JOIN endpoints ON endpoints.id = endpoint`,
    ),
    addEndpoint: database.prepare('INSERT INTO endpoints (url) VALUES (?) ON CONFLICT DO NOTHING'),
    keep: database.prepare(
      `INSERT INTO answers (name, verdict, endpoint, checked_at, summary, record, evidence)
       VALUES (:name, :verdict, (SELECT id FROM endpoints WHERE url = :endpoint), :checkedAt, :summary, :record, :evidence)
       ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, endpoint = excluded.endpoint, checked_at = excluded.checked_at,
         summary = excluded.summary, record = excluded.record, evidence = excluded.evidence
       WHERE excluded.checked_at >= checked_at OR checked_at > excluded.checked_at + ${mostOutOfOrderMs}`,
    ),
    readNotes: database.prepare('SELECT key, note FROM notes WHERE substr(key, 1, length(?1)) = ?1'),
    writeNote: database.prepare('INSERT INTO notes (key, note) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET note = excluded.note'),
    // An update that changes nothing, as only what was written is returned.
    writeFirstNote: database.prepare(
      'INSERT INTO notes (key, note) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET note = note RETURNING note',
    ),
    forgetNote: database.prepare('DELETE FROM notes WHERE key = ? AND note = ?'),
    forgetAnswers: database.prepare(
      'DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE checked_at < ? ORDER BY checked_at LIMIT ?)',
    ),
    forgetRecords: database.prepare(
      `UPDATE answers SET record = NULL
       WHERE id IN (SELECT id FROM answers WHERE checked_at < ? AND record IS NOT NULL ORDER BY checked_at LIMIT ?)`,
    ),
  };
}
