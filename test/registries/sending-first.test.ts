import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendingFirst } from '../../src/registries/sending-first.ts';
import { manualClock } from '../support/manual-clock.ts';

/** Turns of the event loop that are surely enough. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Whether a promise has settled by now. */
function watched(promise: Promise<void> | undefined): { settled: boolean } {
  const state = { settled: false };
  void promise?.then(() => (state.settled = true));
  return state;
}

test('an answer is read at once where nothing is sent', () => {
  expect(sendingFirst(manualClock())(false)).toBeUndefined();
});

test('an answer that lets somebody send is read when that has left, and so is one that came meanwhile', async () => {
  const untilSent = sendingFirst(manualClock());
  const first = watched(untilSent(true));
  const other = watched(untilSent(false));
  await nextTurn();
  expect([first, other]).toEqual([{ settled: false }, { settled: false }]);
  await turns();
  expect([first, other]).toEqual([{ settled: true }, { settled: true }]);
  expect(untilSent(false)).toBeUndefined();
});

test('as long as answers let others send, turn upon turn, none is read, but for ten milliseconds at most', async () => {
  const clock = manualClock();
  const untilSent = sendingFirst(clock);
  const first = watched(untilSent(true));
  for (let turn = 0; turn < 50; turn++) {
    void untilSent(true);
    await nextTurn();
  }
  expect(first.settled).toBe(false);
  clock.advance(10);
  for (let turn = 0; turn < 3; turn++) {
    void untilSent(true);
    await nextTurn();
  }
  expect(first.settled).toBe(true);
});
