import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { intervalsOf, minuteMs, paceOf, dayMs } from '../../src/watches/schedule.ts';
import { newState } from '../../src/watches/name-state.ts';
import { watchForDays, watchIntervalMs } from './watch-oracle.ts';

// `WATCH_ORACLE=1000,400`: so many names of each of the ten kinds of registries, for so many days.
const seed = Number(process.env['FUZZ_SEED'] ?? 3);
const [names = 6, days = 80] = (process.env['WATCH_ORACLE'] ?? '6,80').split(',').map(Number);

it(
  `reports what has changed, once, and nothing else (seed ${seed})`,
  { timeout: 3_600_000 },
  async () => {
    const report = await watchForDays(names, days, seed);
    expect(report.invented).toEqual([]);
    expect(report.wrong).toEqual([]);
    expect(report.changes).toBeGreaterThan(0);
    expect(report.inTime).toBeGreaterThanOrEqual(0.95);
    // Host limits hold, and a look may be saved up.
    expect(report.perHour).toBeLessThanOrEqual((60 * minuteMs) / watchIntervalMs + 1);
  },
);

it('looks at a million stable .com names with less than a fifth of the default rate', () => {
  const now = Date.UTC(2026, 10, 21);
  const facts = { verdict: 'REGISTERED', phase: 'ACTIVE' } as const;
  const { record } = intervalsOf({ ...newState(now), facts }, now, paceOf(true));
  const perSecond = 1_000_000 / (record / 1000);
  expect(record).toBe(7 * dayMs);
  expect(perSecond).toBeLessThan(readConfig({}).RDAP_RATE / 5);
});
