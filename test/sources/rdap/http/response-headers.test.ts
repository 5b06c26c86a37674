import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../../../src/sources/rdap/http/response-headers.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0, 500);

describe('Retry-After', () => {
  it.each([
    ['seconds', '5', 5],
    ['seconds with spaces around', ' 5 ', 5],
    ['parts of seconds, rounded up', '1.5', 2],
    ['now', '0', 0],
    ['a date, rounded up to whole seconds', 'Sat, 21 Nov 2026 12:00:10 GMT', 10],
    ['a date in the form of RFC 850', 'Saturday, 21-Nov-26 12:00:10 GMT', 10],
    ['a date in the form of asctime, which is UTC', 'Sat Nov 21 12:00:10 2026', 10],
    ['a date that has passed', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['more than two minutes: two minutes', '121', 120],
    ['a year: two minutes', '31536000', 120],
    ['more than a number can hold: two minutes', '9'.repeat(400), 120],
    ['a date in ten years: two minutes', 'Sat, 21 Nov 2036 12:00:00 GMT', 120],
  ])('may say %s', (_what, header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it.each([
    undefined,
    '',
    ' ',
    'soon',
    '-1',
    '5 s',
    'NaN',
    'Infinity',
    '0x10',
    '1e3',
    'soon 5',
    'Sat, 99 Nov 2026 12:00:10 GMT',
  ])('says nothing when it is %j', (header) => {
    expect(retryAfterSeconds(header, now)).toBeUndefined();
  });
});
