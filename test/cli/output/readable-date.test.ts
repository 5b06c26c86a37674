import { expect, it } from 'vitest';
import { timeLeft } from '../../../src/cli/output/progress.ts';
import { readableDate } from '../../../src/cli/output/readable-date.ts';

it.each([
  ['2027-01-14T10:00:00.000Z', '14 Jan 2027, in 47 days'],
  ['2026-11-29T10:00:00Z', '29 Nov 2026, in 1 day'],
  ['2026-11-28T20:00:00Z', '28 Nov 2026, today'],
  ['2026-05-28T20:00:00Z', '28 May 2026, 6 months ago'],
  ['1997-09-15T04:00:00Z', /^15 Sept? 1997, 29 years ago$/],
  ['2099-02-03', '2099-02-03'],
  ['before 1996', 'before 1996'],
])('%s is shown as %s', (date, text) => {
  const shown = readableDate(date, Date.parse('2026-11-28T12:00:00Z'));
  expect(shown).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
});

it.each([
  [400, '1 s'],
  [45_000, '45 s'],
  [125_000, '2 min'],
  [7_500_000, '2 h 5 min'],
])('%i ms are shown as %s', (ms, text) => {
  expect(timeLeft(ms)).toBe(text);
});
