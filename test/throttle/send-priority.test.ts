import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SendPriority } from '../../src/throttle/send-priority.ts';
import { manualClock } from '../support/manual-clock.ts';

/** Lets enough turns of the event loop pass. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Tells whether a promise has settled. */
function watched(promise: Promise<void> | undefined): { settled: boolean } {
  const state = { settled: false };
  void promise?.then(() => (state.settled = true));
  return state;
}

test('a response is parsed at once if nothing is sent', () => {
  expect(new SendPriority(manualClock()).yieldToSends(false)).toBeUndefined();
});

test('a response that lets another request through is parsed when that has been sent, and so is one that arrived meanwhile', async () => {
  const priority = new SendPriority(manualClock());
  const first = watched(priority.yieldToSends(true));
  const other = watched(priority.yieldToSends(false));
  await nextTurn();
  expect([first, other]).toEqual([{ settled: false }, { settled: false }]);
  await turns();
  expect([first, other]).toEqual([{ settled: true }, { settled: true }]);
  expect(priority.yieldToSends(false)).toBeUndefined();
});

test('while responses let others through, none is parsed, for ten milliseconds at most', async () => {
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
