import { expect, test } from 'vitest';
import { pendingOutcome } from '../../src/lookup/lookup-outcome.ts';
import { createRow } from '../../src/lookup/row.ts';

test('the outcome of a row is looked up once, waited for until it is there, and plain from then on', async () => {
  const outcome = pendingOutcome(1);
  let asked = 0;
  const row = createRow('a.test', async () => {
    asked += 1;
    return outcome;
  });
  expect(asked).toBe(0);
  const waited = row.outcome();
  expect(waited).toBeInstanceOf(Promise);
  expect(row.outcome()).toBe(waited);
  expect(await waited).toBe(outcome);
  expect(row.outcome()).toBe(outcome);
  expect(asked).toBe(1);
});

test('whoever asks for an outcome hears of its failure, and nobody else does', async () => {
  const row = createRow('a.test', () => Promise.reject(new Error('broken')));
  await expect(row.outcome()).rejects.toThrow('broken');
});

test('an outcome that is known when it is asked for is plain at once', () => {
  const outcome = pendingOutcome(1);
  expect(createRow('a.test', () => outcome).outcome()).toBe(outcome);
});
