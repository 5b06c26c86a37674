import type { DatabaseSync } from 'node:sqlite';
import { replaces, type Extent, type FoundIn, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { charactersOf } from '../memory/recent-rows.ts';
import { fromRow, fromVerdictRow, knowsRegistration, toRow, type PartialRow, type Row } from '../row.ts';
import { migrations, prepare } from './answers-tables.ts';
import { inTransaction, openDatabase } from './open.ts';
import { recentAnswers } from './recent-answers.ts';

/** The answers in one SQLite file. Everything blocks, and throws what SQLite throws. */
export interface AnswersFile {
  read(names: readonly DomainName[], extent: Extent): Map<DomainName, StoredAnswer>;
  /** Whether this is what stands there of a name. */
  isFree(name: DomainName): boolean;
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
    // A crash may cost the last answers, which can be asked again. What is deleted is overwritten: contacts are personal data. The upper pages of
    // the verdicts of a million names stay in 8 MB.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8000');
    return answersIn(database, found);
  } catch (error) {
    database.close();
    throw error;
  }
}

function answersIn(database: DatabaseSync, found: FoundIn): AnswersFile {
  const { read, find, addEndpoint, keep, registrations, forgetAnswers, notes } = prepare(database);
  const recent = recentAnswers(recentCharacters);

  function readAnew(names: readonly DomainName[], extent: Extent): StoredAnswer[] {
    const rows = read[extent].all(JSON.stringify(names)) as unknown as PartialRow[];
    found.store += rows.length;
    const there = new Set(rows.map(({ name }) => name));
    recent.keepAbsent(names.filter((name) => !there.has(name)));
    return rows.map((row) => {
      const answer = knowsRegistration(row) ? fromRow(row) : fromVerdictRow(row);
      recent.keep(answer, extent, charactersOf(row));
      return answer;
    });
  }

  function write({ name, summary, record, ...row }: Row): void {
    const known = find.get(name) as (Pick<Row, 'checkedAt' | 'verdict'> & { readonly registration: number | null }) | undefined;
    if (!replaces(row, known)) return;
    const registration = writeRegistration(known?.registration ?? null, row.checkedAt, summary, record);
    keep.run({ name, ...row, registration });
  }

  /** Gives the row's id; null where there is no registration. */
  function writeRegistration(id: number | null, checkedAt: number, summary: string | null, record: string | null): number | bigint | null {
    if (summary !== null) return registrations.keep.run(id, checkedAt, summary, record).lastInsertRowid;
    registrations.forget.run(id);
    return null;
  }

  function forgetSomeAnswers(before: number): boolean {
    recent.clear();
    return inTransaction(database, () => {
      registrations.forgetSome.run(before, slice);
      return forgetAnswers.run(before, slice).changes === slice;
    });
  }

  function forgetSomeRecords(before: number): boolean {
    recent.clear();
    return registrations.forgetRecords.run(before, slice).changes === slice;
  }

  return {
    read(names, extent) {
      const answers = new Map<DomainName, StoredAnswer>();
      const others: DomainName[] = [];
      for (const name of names) {
        const known = recent.get(name, extent);
        if (known) answers.set(name, known);
        else if (!recent.has(name, extent)) others.push(name);
      }
      found.memory += answers.size;
      if (others.length > 0) for (const answer of readAnew(others, extent)) answers.set(answer.name, answer);
      return answers;
    },
    isFree(name) {
      // Who learns something of a name has nearly always looked for it before.
      const known = recent.get(name, 'verdict');
      const verdict = recent.has(name, 'verdict') ? known?.verdict : find.get(name)?.['verdict'];
      return verdict === 'AVAILABLE';
    },
    write(answers) {
      // Registrations are read of what was sent now: nobody else is kept from writing meanwhile.
      const rows = answers.map(toRow);
      inTransaction(database, () => {
        for (const endpoint of new Set(rows.map((row) => row.endpoint))) addEndpoint.run(endpoint);
        for (const row of rows) write(row);
      });
      for (const { name } of answers) recent.forget(name);
    },
    forgetSomeAnswers,
    forgetSomeRecords,
    readNotes: (prefix) => new Map(notes.read.all(prefix).map(({ key, note }) => [String(key), String(note)])),
    writeNote: (key, note) => void notes.write.run(key, note),
    writeFirstNote: (key, note) => String(notes.writeFirst.get(key, note)?.['note']),
    forgetNote: (key, note) => void notes.forget.run(key, note),
    emptyLog: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => database.close(),
  };
}

/**
 * Of answers that were read lately, as JSON: 600 names with their records, or 8,000 verdicts. As objects records take three times as much, and
 * once more as what was sent of them.
 */
const recentCharacters = 4_000_000;

/** Rows deleted at once: some 2 ms, in which nobody is served. */
const slice = 100;
