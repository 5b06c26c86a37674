import { expect, it } from 'vitest';
import { createBusyCheck } from '../../src/sandbox/server.ts';
import { manualClock } from '../support/time/manual-clock.ts';

it('tracks at most 1,000 names and drops the oldest', () => {
  const isBusy = createBusyCheck(manualClock());
  for (let n = 0; n < 1_000; n += 1) expect(isBusy(`busy-${n}.test`)).toBe(true);
  expect(isBusy('busy-0.test')).toBe(false);
  expect(isBusy('busy-1000.test')).toBe(true);
  expect(isBusy('busy-1.test')).toBe(false);
  expect(isBusy('busy-0.test')).toBe(true);
});
