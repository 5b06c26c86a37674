import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaces, type AnswerStore, type Extent, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { recentRows } from '../memory/recent-rows.ts';
import { fromRow, fromVerdictRow, knowsRegistration, toRow, type PartialRow } from '../row.ts';
import { answerRows } from './answer-rows.ts';
import { DatabaseAway } from './database-away.ts';
import { theRow, type Database } from './database.ts';
import { grouped } from './grouped.ts';
import { unwrittenRows } from './unwritten-rows.ts';

/** Answers that each process copies: names, and characters of their JSON. */
const copied = { names: 5000, characters: 30_000_000 };
/** Names of one statement, and statements: what is asked under load is read together, at half the cost. */
const readAtOnce = { questions: 500, groups: 2 };

/**
 * Keeps answers in PostgreSQL. While that is away, what this process has read or learned lately is given from a copy in memory, and what it
 * learns is kept there and written later: `put` then resolves, though only this process knows the answer.
 */
export function postgresAnswers(database: Database, log: Log): AnswerStore {
  const table = answerRows(database);
  const copy = recentRows(copied.names, copied.characters);
  const foundIn = { memory: 0, store: 0 };
  const unwritten = unwrittenRows(table, log);
  const closing = new AbortController();

  const rowReader = (extent: Extent) =>
    grouped(async (names: readonly DomainName[]) => {
      const rows = new Map((await table.read(names, extent)).map((row) => [row.name, row]));
      return names.map((name) => rows.get(name) ?? null);
    }, readAtOnce);
  const readRow = { verdict: rowReader('verdict'), registration: rowReader('registration') };

  async function readRows(names: readonly DomainName[], extent: Extent): Promise<readonly PartialRow[]> {
    try {
      const rows = (await Promise.all(names.map(readRow[extent]))).filter((row) => row !== null);
      for (const row of rows) copyRow(row);
      foundIn.store += rows.length;
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
      const copies = names.flatMap((name) => copy.get(name) ?? []).filter((row) => extent === 'verdict' || knowsRegistration(row));
      foundIn.memory += copies.length;
      return copies;
    }
  }

  /** Who read the verdict alone has learned nothing of the registration. */
  function copyRow(row: PartialRow): void {
    const known = copy.get(row.name);
    copy.keep(known?.checkedAt === row.checkedAt ? { ...known, ...row } : row);
  }

  async function untilDone(forgetSome: () => Promise<boolean>): Promise<void> {
    while (!closing.signal.aborted && (await forgetSome())) await nextTurn();
  }

  return {
    found: foundIn,
    async getMany(names, extent) {
      // Also those that are written while this reads: their statement may be the later.
      const unwrittenBefore = names.flatMap((name) => unwritten.get(name) ?? []);
      const rows = names.length > 0 ? await readRows(names, extent) : [];
      const found = new Map<DomainName, StoredAnswer>();
      for (const row of rows) found.set(row.name, knowsRegistration(row) ? fromRow(row) : fromVerdictRow(row));
      for (const row of [...unwrittenBefore, ...names.flatMap((name) => unwritten.get(name) ?? [])]) {
        if (replaces(row, found.get(row.name))) found.set(row.name, fromRow(row));
      }
      return found;
    },

    async put(answer) {
      const row = toRow(answer);
      copy.keep(row);
      return unwritten.add(row);
    },

    async read(prefix) {
      const notes = await database.rows<{ key: string; note: string }>('SELECT key, note FROM notes WHERE starts_with(key, $1)', [prefix]);
      return new Map(notes.map(({ key, note }) => [key, note]));
    },

    async write(key, note) {
      await database.rows('INSERT INTO notes (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = excluded.note', [
        key,
        note,
      ]);
    },

    async writeFirst(key, note) {
      // An update that changes nothing, as only what was written is returned: what another node writes at this moment, too.
      const text = 'INSERT INTO notes AS n (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = n.note RETURNING n.note';
      return theRow(await database.rows<{ note: string }>(text, [key, note])).note;
    },

    async forget(key, note) {
      await database.rows('DELETE FROM notes WHERE key = $1 AND note = $2', [key, note]);
    },

    async sweep(answersBefore, recordsBefore) {
      copy.sweep(answersBefore, recordsBefore);
      await unwritten.idle();
      await untilDone(() => table.forgetSomeAnswers(answersBefore));
      await untilDone(() => table.forgetSomeRecords(recordsBefore));
    },

    async close() {
      closing.abort();
      await unwritten.close();
    },
  };
}
