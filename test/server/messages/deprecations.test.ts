import { describe, expect, it } from 'vitest';
import {
  findUsedAliases,
  deprecationHeaders,
  maxAgeFrom,
} from '../../../src/server/messages/deprecations.ts';
import { aliases } from '../../../src/app/endpoints.ts';

const thirtyDays = 2_592_000;

/** All aliases in queries: path, name, and the equivalent `max_age`. */
const inQueries: [string, string, number | undefined][] = [
  ['/v1/status', 'prefer_cache', thirtyDays],
  ['/v1/status', 'skip_cache', 0],
  ['/v1/status', 'cache_skip', 0],
  ['/v1/status', 'cache-skip', 0],
  ['/v1/subdomains', 'prefer_cache', thirtyDays],
  ['/v1/tech', 'skip_cache', 0],
  ['/v1/categorize', 'skip_cache', 0],
  ['/v1/identity-assets', 'skip_cache', 0],
  ['/v1/identity-resolution', 'skip_cache', 0],
  ['/v1/url-intelligence', 'skip_cache', 0],
  ['/v1/agent-readiness', 'skip_cache', 0],
  ['/v1/robots', 'skip_cache', 0],
  ['/v1/ssl/deep-scan', 'refresh', 0],
  ['/v1/email/blacklist', 'offset', undefined],
];
/** All aliases in bodies: name, and the equivalent `max_age`. */
const inBodies: [string, number][] = [
  ['prefer_cache', thirtyDays],
  ['skip_cache', 0],
  ['cache_skip', 0],
  ['cache-skip', 0],
];
const bulk = '/v1/status/bulk';

const offValues = ['false', '0', 'no', 'off', 'False', 'OFF', ' no '];
const onValues = ['true', '1', 'yes', 'on', '', ' ', '2', '00', 'null', 'none', 'nope', '-1', '💾'];

const aliasesAt = (path: string) => aliases.filter((alias) => alias.path === path);
const namesUsed = (path: string, query: string, body?: unknown) =>
  findUsedAliases(aliasesAt(path), new URLSearchParams(query), body).map(({ alias }) => alias.name);
const ageOfQuery = (path: string, query: string, maxAge?: number) =>
  maxAgeFrom(maxAge, findUsedAliases(aliasesAt(path), new URLSearchParams(query)));
const ageOfBody = (body: unknown, maxAge?: number) =>
  maxAgeFrom(maxAge, findUsedAliases(aliasesAt(bulk), new URLSearchParams(), body));
const isCursorAlias = (cursor: string, path = '/v1/certificates') =>
  namesUsed(path, new URLSearchParams({ cursor }).toString()).includes('cursor');
const ageWithSkip = (skip_cache: string) =>
  ageOfQuery('/v1/status', new URLSearchParams({ skip_cache }).toString());

it('the table contains exactly the documented aliases', () => {
  const rows = aliases.map(({ method, path, name, maxAge }) => [`${method} ${path}`, name, maxAge]);
  expect(rows.toSorted()).toEqual(
    [
      ...inQueries.map(([path, name, maxAge]) => [`GET ${path}`, name, maxAge]),
      ...inBodies.map(([name, maxAge]) => [`POST ${bulk}`, name, maxAge]),
      ['GET /v1/certificates', 'cursor', undefined],
    ].toSorted(),
  );
  for (const { maxAge, replacement } of aliases) {
    expect(replacement).toBe(maxAge === undefined ? 'cursor=<next_cursor>' : `max_age=${maxAge}`);
  }
});

it('an alias in a query is on with every value but those that mean false', () => {
  expect(onValues.filter((value) => ageWithSkip(value) !== 0)).toEqual([]);
  expect(offValues.filter((value) => ageWithSkip(value) !== undefined)).toEqual([]);
});

it('the parameter cursor is an alias only if it is a number, and only of certificates', () => {
  const numbers = ['0', '25', '1000000', '-1', '+3', ' 7 ', '2.5'];
  const others = ['', 'abc', 'MTI=', '12e4', '0x10', '1.2.3', 'NaN', '٣'];
  const otherPaths = ['/v1/status', '/v1/email/blacklist', '/v1/subdomains'];
  expect(numbers.filter((cursor) => !isCursorAlias(cursor))).toEqual([]);
  expect(others.filter((cursor) => isCursorAlias(cursor))).toEqual([]);
  expect(otherPaths.filter((path) => isCursorAlias('25', path))).toEqual([]);
});

it.each(inBodies)('%s in options of a body takes precedence over the top level', (name, maxAge) => {
  expect(ageOfBody({ [name]: true, options: { [name]: false } })).toBeUndefined();
  expect(ageOfBody({ [name]: false, options: { [name]: true } })).toBe(maxAge);
  expect(ageOfBody({ [name]: true, options: { [name]: null } })).toBe(maxAge);
});

describe('an alias in a body', () => {
  it('is on with every value but those that mean false', () => {
    const on = [...onValues, true, 1, -1, 0.5, {}, [], [0], ['false'], { on: false }];
    const off = [...offValues, false, 0, -0];
    expect(on.filter((value) => ageOfBody({ skip_cache: value }) !== 0)).toEqual([]);
    expect(off.filter((value) => ageOfBody({ skip_cache: value }) !== undefined)).toEqual([]);
  });

  it.each([
    'null',
    '[]',
    '"text"',
    '1',
    '{"options":"text"}',
    '{"options":[]}',
    '{"__proto__":{"skip_cache":true}}',
    '[{"skip_cache":true}]',
  ])('is not found in %s', (body) => {
    expect(namesUsed(bulk, '', JSON.parse(body))).toEqual([]);
  });

  it('is found in a body that is invalid otherwise', () => {
    const body = { domains: 7, options: 'text', skip_cache: [] };
    expect(namesUsed(bulk, '', body)).toEqual(['skip_cache']);
  });
});

describe('several aliases', () => {
  it.each([
    ['prefer_cache=1&skip_cache=1', 0],
    ['cache-skip=&prefer_cache=true', 0],
    ['prefer_cache=1&skip_cache=0', thirtyDays],
    ['prefer_cache=0&cache_skip=1', 0],
    ['skip_cache=no&cache_skip=yes', 0],
    ['prefer_cache=off&skip_cache=off', undefined],
  ])('%s are equivalent to max_age=%s', (query, maxAge) => {
    expect(ageOfQuery('/v1/status', query)).toBe(maxAge);
  });

  it('in a body prefer skipping the cache, wherever they are', () => {
    expect(ageOfBody({ skip_cache: true, options: { prefer_cache: true } })).toBe(0);
    expect(ageOfBody({ prefer_cache: true, options: { 'cache-skip': 1 } })).toBe(0);
  });

  it('are all counted', () => {
    expect(namesUsed('/v1/status', 'prefer_cache=1&skip_cache=0&name=a')).toEqual([
      'prefer_cache',
      'skip_cache',
    ]);
  });
});

it('max_age=0 takes precedence over prefer_cache', () => {
  expect(ageOfQuery('/v1/status', 'prefer_cache=1', 0)).toBe(0);
});

it('the deprecation headers state the dates and link to the documentation', () => {
  expect(deprecationHeaders('https://docs.example/gateway')).toEqual({
    deprecation: '@1791590400',
    sunset: 'Sun, 10 Oct 2027 00:00:00 GMT',
    link: '<https://docs.example/gateway/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"',
  });
});
