import { expect, it } from 'vitest';
import { DatabaseAway } from '../../src/storage/postgres/database-away.ts';
import { unwrittenRows } from '../../src/storage/postgres/unwritten-rows.ts';
import { toRow, type Row } from '../../src/storage/row.ts';
import { alpha, beta, free, held } from '../contracts/sample-answers.ts';
import { memoryLog } from '../support/memory-log.ts';

/** A table in memory, which refuses what the test says. */
function table(refusal: (row: Row) => Error | undefined) {
  const kept = new Map<string, Row>();
  return {
    kept,
    async write(rows: readonly Row[]) {
      for (const row of rows) {
        const refused = refusal(row);
        if (refused) throw refused;
      }
      for (const row of rows) kept.set(row.name, row);
    },
    forgetOlder: async ({ name }: Row) => void kept.delete(name),
  };
}

const refused = new Error('refused');
const heldAlpha = (row: Row) => (row.name === alpha && row.verdict === 'REGISTERED' ? refused : undefined);

it('a row that is refused is heard of where it was added, and not again when the store is closed', async () => {
  const { log, lines } = memoryLog();
  const unwritten = unwrittenRows(table(heldAlpha), log);
  await expect(unwritten.add(toRow(held(alpha, 1)))).rejects.toBe(refused);
  await unwritten.close();
  expect(lines).toEqual([]);
});

it('a row that is refused takes no other with it, and what it would have replaced is told no more', async () => {
  const answers = table(heldAlpha);
  const unwritten = unwrittenRows(answers, memoryLog().log);
  await unwritten.add(toRow(free(alpha, 1)));
  await Promise.allSettled([unwritten.add(toRow(held(alpha, 2))), unwritten.add(toRow(held(beta, 2)))]);
  expect([Array.from(answers.kept.keys()), unwritten.get(alpha)]).toEqual([[beta], undefined]);
});

it('a row that waits for the database, and is refused when the store is closed, stands in the log: nobody else is there to hear of it', async () => {
  let away: Error | undefined = new DatabaseAway('away', { mayHaveRun: false });
  const { log, lines } = memoryLog();
  const unwritten = unwrittenRows(
    table(() => away ?? refused),
    log,
  );
  await unwritten.add(toRow(held(alpha, 1)));
  away = undefined;
  await unwritten.close();
  expect(lines).toMatchObject([{ level: 'error', msg: 'answers could not be stored' }]);
});
