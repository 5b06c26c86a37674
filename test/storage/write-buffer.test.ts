import { expect, it } from 'vitest';
import { toRow, type AnswerRow } from '../../src/storage/row.ts';
import { WriteBuffer } from '../../src/storage/write-buffer.ts';
import { alpha, beta, availableAnswer, registeredAnswer } from './contracts/sample-answers.ts';
import { memoryLog } from '../support/memory-log.ts';

const unavailable = new Error('unavailable');
const refused = new Error('refused');

/** A table in memory that fails as `failure` says. */
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

it('a refusal is reported to the caller, once, and the row is dropped', async () => {
  const { log, lines } = memoryLog();
  const answers = table(() => refused);
  const buffer = new WriteBuffer(answers, 0, log);
  await expect(buffer.add(registeredAnswer(alpha, 1))).rejects.toBe(refused);
  expect(buffer.get(alpha)).toBeUndefined();
  await buffer.close();
  expect([answers.stored, lines]).toEqual([[], []]);
});

it('a row that waits while the table is unavailable hides what is stored, and is written with the next', async () => {
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

it('a row that waits and is then refused is logged: no caller waits for it any more', async () => {
  let failure = unavailable;
  const { log, lines } = memoryLog();
  const buffer = new WriteBuffer(
    table(() => failure),
    0,
    log,
  );
  await buffer.add(registeredAnswer(alpha, 1));
  failure = refused;
  await buffer.close();
  expect(lines).toMatchObject([
    { err: { message: 'unavailable' } },
    { level: 'error', msg: 'answers could not be stored' },
  ]);
});
