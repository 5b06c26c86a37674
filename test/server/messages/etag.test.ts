import { describe, expect, it } from 'vitest';
import {
  listsTag,
  matchesIfNoneMatch,
  createEtagFactory,
} from '../../../src/server/messages/etag.ts';

const now = Date.UTC(2026, 10, 21);
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

const row = { domain: 'taken.test', available: false, status: 'registered', stale: false };
const timed = { ...row, cached: false, checked_at: at(0), latency_ms: 12.5 };
const meta = { total_checked: 1, available_count: 0, duration_ms: 13 };
const status = { name: 'taken', results: [timed], cached: false, latency_ms: 13, meta };

const weakEtag = (body: object) => createEtagFactory('secret')(body, 'alice');

/** Returns the body of a TLS scan that took some time. */
const scan = (ms: number) => ({
  status: 'ready',
  result: { protocols_offered: ['TLSv1.3'], checked_at: at(ms), scan_duration_ms: ms },
});

describe('the ETag of a body', () => {
  it('does not depend on how long a TLS scan took, or when it was', () => {
    expect(weakEtag(scan(1))).toBe(weakEtag(scan(2)));
    expect(weakEtag({ ...scan(1), result: {} })).not.toBe(weakEtag(scan(1)));
  });

  it('depends on the secret and on the payer', () => {
    const tags = [
      weakEtag(status),
      createEtagFactory('other')(status, 'alice'),
      createEtagFactory('secret')(status, 'bob'),
      createEtagFactory('secret')(status, undefined),
    ];
    expect(new Set(tags).size).toBe(4);
  });

  it('is weak, and contains only valid characters', () => {
    expect(weakEtag(status)).toMatch(/^W\/"[\w-]{43}"$/);
  });

  it('does not depend on durations, cached and checked_at', () => {
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
    ['a pending row', { ...status, results: [{ ...timed, available: null, status: 'pending' }] }],
    ['another name', { ...status, name: 'other' }],
  ])('changes with %s', (_change, body) => {
    expect(weakEtag(body)).not.toBe(weakEtag(status));
  });

  it("changes with the registry's own object, whatever its members are called", () => {
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
    'invalid, "abc-_1"',
  ])('%s matches the tag', (header) => {
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
    '"x", *',
    '**',
    '"*"',
    '"x" "abc-_1"',
  ])('%s does not match the tag', (header) => {
    expect(matchesIfNoneMatch(header, etag)).toBe(false);
  });

  it('* matches every tag, but does not prove that the client has a copy', () => {
    for (const any of ['*', ' * '])
      expect([matchesIfNoneMatch(any, etag), listsTag(any, etag)]).toEqual([true, false]);
  });
});
