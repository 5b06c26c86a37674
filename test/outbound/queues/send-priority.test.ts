import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SendPriority } from '../../../src/outbound/queues/send-priority.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

/** Waits for `count` turns of the event loop. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Tracks whether a promise has settled. */
function watched(promise: Promise<void> | undefined): { settled: boolean } {
  const state = { settled: false };
  void promise?.then(() => (state.settled = true));
  return state;
}

test('a response is parsed immediately if no request is being sent', () => {
  expect(new SendPriority(manualClock()).yieldToSends(false)).toBeUndefined();
});

test('a response that allows another request is parsed after that request is sent, as are responses that arrive meanwhile', async () => {
  const priority = new SendPriority(manualClock());
  const first = watched(priority.yieldToSends(true));
  const other = watched(priority.yieldToSends(false));
  await nextTurn();
  expect([first, other]).toEqual([{ settled: false }, { settled: false }]);
  await turns();
  expect([first, other]).toEqual([{ settled: true }, { settled: true }]);
  expect(priority.yieldToSends(false)).toBeUndefined();
});

test('parsing is delayed by at most ten milliseconds while responses allow further requests', async () => {
  const clock = manualClock();
  const priority = new SendPriority(clock);
  const first = watched(priority.yieldToSends(true));
  for (let turn = 0; turn < 50; turn++) {
    void priority.yieldToSends(true);
    await nextTurn();
  }
  expect(first.settled).toBe(false);
  clock.advance(10);
  for (let turn = 0; turn < 3; turn++) {
    void priority.yieldToSends(true);
    await nextTurn();
  }
  expect(first.settled).toBe(true);
});
