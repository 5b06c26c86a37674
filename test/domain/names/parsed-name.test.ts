import { describe, expect, it } from 'vitest';
import {
  validateMaxAge,
  parseEntry,
  parseName,
  dedupeByDomain,
  entryParsers,
  splitEntry,
  type Search,
  type SingleName,
} from '../../../src/domain/names/parsed-name.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

const parseSearch = (search: Search) =>
  dedupeByDomain(entryParsers(search).map((parse) => parse()));
const domainsOf = (search: Search) => parseSearch(search).map(({ domain }) => domain);

describe('a single name', () => {
  it.each<[string, SingleName, string]>([
    ['in full', { name: 'Example.Test.' }, 'example.test'],
    ['with a separate TLD', { name: 'Bücher', tld: '.TEST' }, 'xn--bcher-kva.test'],
    ['under a longer suffix', { name: 'example', tld: 'co.test' }, 'example.co.test'],
    ['split at another dot', { name: 'example.co', tld: 'test' }, 'example.co.test'],
    ['with a TLD of null', { name: 'example.test', tld: null }, 'example.test'],
  ])('is accepted %s', (_how, single, domain) => {
    expect(parseName(single)).toBe(domain);
  });

  it.each<[SingleName, string, string]>([
    [{ name: ' ' }, 'missing_parameter', 'name'],
    [{ name: 'example', tld: ' ' }, 'missing_parameter', 'tld'],
    [{ name: 'example' }, 'invalid_name', 'name'],
    [{ name: 'a_b.test' }, 'invalid_name', 'name'],
    [{ name: 'a_b', tld: 'test' }, 'invalid_name', 'name'],
    [{ name: 'example', tld: '*' }, 'invalid_name', 'tld'],
  ])('is rejected if it is %j: %s of %s', (single, code, param) => {
    expect(problemOf(() => parseName(single))).toMatchObject({ code, param });
  });
});

describe('a search', () => {
  it('yields one name per TLD, in request order without duplicates', () => {
    expect(domainsOf({ name: 'Example', tlds: ['net', '.COM', 'com.', 'co.uk', 'NET'] })).toEqual([
      'example.net',
      'example.com',
      'example.co.uk',
    ]);
  });

  it('yields full names in request order without duplicates', () => {
    expect(
      domainsOf({ domains: ['b.test', 'Bücher.test', 'xn--bcher-kva.test.', 'B.TEST', 'a.test'] }),
    ).toEqual(['b.test', 'xn--bcher-kva.test', 'a.test']);
  });

  it('returns an invalid entry at its position as the caller wrote it', () => {
    const names = parseSearch({ domains: ['a.test', ' A_B.Test ', 'b.test', 'A_B.Test'] });
    expect(names.map(({ domain }) => domain)).toEqual(['a.test', 'A_B.Test', 'b.test']);
    expect(names[1]).toMatchObject({ problem: { code: 'invalid_name' } });
    expect(domainsOf({ name: ' Example', tlds: ['com', ' .a_b '] })).toEqual([
      'example.com',
      'Example.a_b',
    ]);
  });

  it.each<[string, Search, string, string]>([
    [
      'both forms',
      { name: 'a', tlds: ['test'], domains: ['a.test'] },
      'invalid_parameter',
      'domains',
    ],
    [
      'TLDs and full names',
      { tlds: ['test'], domains: ['a.test'] },
      'invalid_parameter',
      'domains',
    ],
    ['neither form', {}, 'invalid_parameter', 'name'],
    ['only nulls', { name: null, tlds: null, domains: null }, 'invalid_parameter', 'name'],
    ['TLDs without a label', { tlds: ['test'] }, 'missing_parameter', 'name'],
    ['an empty label', { name: ' ', tlds: ['test'] }, 'missing_parameter', 'name'],
    ['a label without TLDs', { name: 'a' }, 'missing_parameter', 'tlds'],
    ['an empty list of TLDs', { name: 'a', tlds: [] }, 'missing_parameter', 'tlds'],
    ['an empty list of names', { domains: [] }, 'missing_parameter', 'domains'],
    ['two labels as the name', { name: 'www.example', tlds: ['com'] }, 'invalid_name', 'name'],
  ])('with %s is rejected', (_what, search, code, param) => {
    expect(problemOf(() => parseSearch(search))).toMatchObject({ code, param });
  });
});

it('parseEntry returns a problem instead of throwing', () => {
  expect(parseEntry('example.test')).toMatchObject({ domain: 'example.test' });
  expect(parseEntry(' example ')).toMatchObject({
    domain: 'example',
    problem: { code: 'invalid_name' },
  });
});

it('splitEntry splits a name, and an entry that is not a name', () => {
  expect(splitEntry('example.co.test')).toEqual({ label: 'example', suffix: 'co.test' });
  expect(splitEntry('example')).toEqual({ label: 'example', suffix: '' });
});

it('validateMaxAge accepts seconds or nothing, and rejects a negative number', () => {
  expect(validateMaxAge(0)).toBe(0);
  expect(validateMaxAge(3600)).toBe(3600);
  expect(validateMaxAge(null)).toBeUndefined();
  expect(validateMaxAge(undefined)).toBeUndefined();
  expect(problemOf(() => validateMaxAge(-1))).toMatchObject({
    code: 'invalid_max_age',
    param: 'maxAge',
  });
});
