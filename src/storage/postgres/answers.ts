import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaces, type AnswerStore, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { recentRows } from '../memory/recent-rows.ts';
import { fromRow, toRow, type Row } from '../row.ts';
import { answerRows } from './answer-rows.ts';
import { DatabaseAway } from './database-away.ts';
import { theRow, type Database } from './database.ts';
import { grouped } from './grouped.ts';
import { unwrittenRows } from './unwritten-rows.ts';

/** Names whose answers each process copies: some 30 MB. */
const copied = 5000;
/** Names of one statement, and statements: what is asked under load is read together, at half the cost. */
const readAtOnce = { questions: 500, groups: 2 };

/**
 * Keeps answers in PostgreSQL. While that is away, what this process has read or learned lately is given from a copy in memory, and what it
 * learns is kept there and written later: `put` then resolves, though only this process knows the answer.
 */
export function postgresAnswers(database: Database, log: Log): AnswerStore {
  const table = answerRows(database);
  const copy = recentRows(copied);
  const foundIn = { memory: 0, store: 0 };
  const unwritten = unwrittenRows(table.write, log);
  const closing = new AbortController();

  const readRow = grouped(async (names: readonly DomainName[]) => {
    const rows = new Map((await table.read(names)).map((row) => [row.name, row]));
    return names.map((name) => rows.get(name) ?? null);
  }, readAtOnce);

  async function readRows(names: readonly DomainName[]): Promise<readonly Row[]> {
    try {
      const rows = (await Promise.all(names.map(readRow))).filter((row) => row !== null);
      for (const row of rows) copy.keep(row);
      foundIn.store += rows.length;
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
      const copies = names.flatMap((name) => copy.get(name) ?? []);
      foundIn.memory += copies.length;
      return copies;
    }
  }

  async function untilDone(forgetSome: () => Promise<boolean>): Promise<void> {
    while (!closing.signal.aborted && (await forgetSome())) await nextTurn();
  }

  return {
    found: foundIn,
    async getMany(names) {
      const rows = names.length > 0 ? await readRows(names) : [];
      const found = new Map<DomainName, StoredAnswer>(rows.map((row) => [row.name, fromRow(row)]));
      for (const name of names) {
        const row = unwritten.get(name);
        if (row && replaces(row, found.get(name))) found.set(name, fromRow(row));
      }
      return found;
    },

    put(answer) {
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
