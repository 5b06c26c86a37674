import { describe, expect, it } from 'vitest';
import {
  ageHeaders,
  matchesIfNoneMatch,
  createEtagFactory,
  type AgedRow,
} from '../../../src/http/response/etag.ts';

const now = Date.UTC(2026, 10, 21);
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

const row = { domain: 'taken.test', available: false, status: 'registered', stale: false };
const timed = { ...row, cached: false, checked_at: at(0), latency_ms: 12.5 };
const meta = { total_checked: 1, available_count: 0, duration_ms: 13 };
const status = { name: 'taken', results: [timed], cached: false, latency_ms: 13, meta };

const weakEtag = (body: object) => createEtagFactory('secret')(body, 'alice');

describe('the tag of a body', () => {
  it('is another under another secret, and for another payer', () => {
    const tags = [
      weakEtag(status),
      createEtagFactory('other')(status, 'alice'),
      createEtagFactory('secret')(status, 'bob'),
      createEtagFactory('secret')(status, undefined),
    ];
    expect(new Set(tags).size).toBe(4);
  });

  it('is weak, and of characters that a tag may have', () => {
    expect(weakEtag(status)).toMatch(/^W\/"[\w-]{43}"$/);
  });

  it('is the same however long the answer took and wherever it came from', () => {
    const laterMeta = { ...meta, duration_ms: 1 };
    const later = {
      ...status,
      latency_ms: 1,
      cached: true,
      meta: laterMeta,
      results: [{ ...timed, cached: true, checked_at: at(60), latency_ms: 0 }],
    };
    expect(weakEtag(later)).toBe(weakEtag(status));
    const record = { ...timed, rdap: { handle: 'X' } };
    expect(weakEtag({ ...record, cached: true, checked_at: null, latency_ms: 1 })).toBe(
      weakEtag(record),
    );
  });

  it.each([
    ['another verdict', { ...status, results: [{ ...timed, available: true }] }],
    ['a stale row', { ...status, results: [{ ...timed, stale: true }] }],
    ['another row', { ...status, results: [timed, timed] }],
    [
      'a row that is pending',
      { ...status, results: [{ ...timed, available: null, status: 'pending' }] },
    ],
    ['another name', { ...status, name: 'other' }],
  ])('is another for %s', (_what, body) => {
    expect(weakEtag(body)).not.toBe(weakEtag(status));
  });

  it("is another when the registry's own object differs, whatever its members are called", () => {
    expect(weakEtag({ ...timed, rdap: { cached: true } })).not.toBe(
      weakEtag({ ...timed, rdap: { cached: false } }),
    );
    expect(weakEtag({ ...timed, rdap: { meta: { duration_ms: 1 } } })).not.toBe(
      weakEtag({ ...timed, rdap: { meta: { duration_ms: 2 } } }),
    );
    expect(weakEtag({ ...timed, rdap: { results: [{ latency_ms: 1 }] } })).not.toBe(
      weakEtag({ ...timed, rdap: { results: [{ latency_ms: 2 }] } }),
    );
  });
});

describe('If-None-Match', () => {
  const etag = 'W/"abc-_1"';

  it.each([
    'W/"abc-_1"',
    '"abc-_1"',
    ' W/"abc-_1" ',
    '"x", W/"abc-_1"',
    '"a,b",W/"c d",,"abc-_1"',
    'broken, "abc-_1"',
  ])('%s knows the tag', (header) => {
    expect(matchesIfNoneMatch(header, etag)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ',',
    '"x"',
    'abc-_1',
    'w/"abc-_1"',
    'W/abc-_1',
    '"abc-_1',
    'abc-_1"',
    'W/W/"abc-_1"',
    '"ABC-_1"',
    '*',
    '**',
    '"*"',
    '"x" "abc-_1"',
  ])('%s does not', (header) => {
    expect(matchesIfNoneMatch(header, etag)).toBe(false);
  });
});

const aged = (age: number | null, left: number | null, word = 'REGISTERED'): AgedRow => ({
  status: word,
  checked_at: age === null ? null : at(-age),
  fresh_until: left === null ? null : at(left),
});
const unasked = aged(null, null, 'INVALID');
const unknown = aged(null, null, 'UNKNOWN');

describe('how long an answer may be kept', () => {
  it.each<[string, readonly AgedRow[], number | undefined, string, string | undefined]>([
    ['what is left of its freshness', [aged(100, 200)], undefined, 'private, max-age=200', '100'],
    [
      'the least that is left, and the oldest age',
      [aged(100, 200), aged(5, 295), aged(7, 50)],
      undefined,
      'private, max-age=50',
      '100',
    ],
    ['at most what the caller takes', [aged(10, 290)], 60, 'private, max-age=60', '10'],
    [
      'no longer than it is fresh, whatever the caller takes',
      [aged(10, 290)],
      2_592_000,
      'private, max-age=290',
      '10',
    ],
    ['whole seconds, rounded down', [aged(1.9, 298.1)], undefined, 'private, max-age=298', '1'],
    [
      'not at all without asking again, when it is older than fresh',
      [aged(90_000, -3600)],
      2_592_000,
      'private, max-age=0',
      '90000',
    ],
    [
      'a clock that was set back makes nothing negative',
      [aged(-30, 330)],
      undefined,
      'private, max-age=330',
      '0',
    ],
    [
      'rows that nobody was asked about do not count',
      [unasked, aged(1, 299)],
      undefined,
      'private, max-age=299',
      '1',
    ],
    [
      'nor make an answer of their own that is kept',
      [unasked],
      undefined,
      'private, max-age=0',
      undefined,
    ],
    ['not at all with max_age=0', [aged(0, 300)], 0, 'no-store', '0'],
    [
      'not at all with a row that is not known',
      [aged(5, 295), unknown],
      undefined,
      'no-store',
      '5',
    ],
    [
      'not at all with a row that is pending',
      [aged(5, 295), aged(null, null, 'PENDING')],
      undefined,
      'no-store',
      '5',
    ],
    ['not at all when nothing is known', [unknown], 60, 'no-store', undefined],
  ])('%s', (_what, rows, maxAge, control, age) => {
    expect(ageHeaders(rows, maxAge, now)).toEqual({
      'cache-control': control,
      ...(age !== undefined && { age }),
    });
  });
});
