import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../src/outbound/client.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0, 500);

describe('Retry-After', () => {
  it.each([
    ['seconds', '5', 5],
    ['seconds with surrounding spaces', ' 5 ', 5],
    ['fractional seconds, which are rounded up', '1.5', 2],
    ['zero', '0', 0],
    ['a date, which is rounded up to whole seconds', 'Sat, 21 Nov 2026 12:00:10 GMT', 10],
    ['a date in the form of RFC 850', 'Saturday, 21-Nov-26 12:00:10 GMT', 10],
    ['a date in the form of asctime, which is UTC', 'Sat Nov 21 12:00:10 2026', 10],
    ['a date in the past', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['more than an hour, which counts as an hour', '3601', 3600],
    ['a year, which counts as an hour', '31536000', 3600],
    ['a number beyond the range of numbers, which counts as an hour', '9'.repeat(400), 3600],
    ['a date in ten years, which counts as an hour', 'Sat, 21 Nov 2036 12:00:00 GMT', 3600],
  ])('may be %s', (_case, header, seconds) => {
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
  ])('is ignored if it is %j', (header) => {
    expect(retryAfterSeconds(header, now)).toBeUndefined();
  });
});
