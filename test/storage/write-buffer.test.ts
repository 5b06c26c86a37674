import { expect, it } from 'vitest';
import { toRow, type AnswerRow } from '../../src/storage/row.ts';
import { WriteBuffer } from '../../src/storage/write-buffer.ts';
import { alpha, beta, availableAnswer, registeredAnswer } from './contracts/sample-answers.ts';
import { memoryLog } from '../support/checks/memory-log.ts';

const unavailable = new Error('unavailable');
const rejected = new Error('rejected');

/** Creates a table in memory whose writes fail with the error that `failure` returns. */
function table(failure: () => Error | undefined) {
  const stored: AnswerRow[] = [];
  return {
    stored,
    async write(rows: readonly AnswerRow[]) {
      const error = failure();
      if (error) throw error;
      stored.push(...rows);
    },
    isUnavailable: (error: unknown) => error === unavailable,
  };
}

it('reports a rejected row to the caller only, and drops it', async () => {
  const { log, lines } = memoryLog();
  const answers = table(() => rejected);
  const buffer = new WriteBuffer(answers, 0, log);
  await expect(buffer.add(registeredAnswer(alpha, 1))).rejects.toBe(rejected);
  expect(buffer.get(alpha)).toBeUndefined();
  await buffer.close();
  expect([answers.stored, lines]).toEqual([[], []]);
});

it('returns a row retained while the table is unavailable, and writes it with the next one', async () => {
  let failure: Error | undefined = unavailable;
  const answers = table(() => failure);
  const buffer = new WriteBuffer(answers, 0, memoryLog().log);
  await buffer.add(registeredAnswer(alpha, 2));
  expect(buffer.get(alpha)).toEqual(registeredAnswer(alpha, 2));
  failure = undefined;
  await buffer.add(availableAnswer(beta, 3));
  expect(answers.stored).toEqual([registeredAnswer(alpha, 2), availableAnswer(beta, 3)].map(toRow));
  expect(buffer.get(alpha)).toBeUndefined();
  await buffer.close();
});

it('logs that a retained row was rejected, as no caller waits for it', async () => {
  let failure = unavailable;
  const { log, lines } = memoryLog();
  const buffer = new WriteBuffer(
    table(() => failure),
    0,
    log,
  );
  await buffer.add(registeredAnswer(alpha, 1));
  failure = rejected;
  await buffer.close();
  expect(lines).toMatchObject([
    { err: { message: 'unavailable' } },
    { level: 'error', msg: 'Retry of cache writes failed. The answers were dropped.' },
  ]);
});
