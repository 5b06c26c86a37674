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
} from '../../src/domain/parsed-name.ts';
import { problemOf } from '../support/problem-of.ts';

const askedNames = (search: Search) => dedupeByDomain(entryParsers(search).map((read) => read()));
const domainsOf = (search: Search) => askedNames(search).map(({ domain }) => domain);

describe('a single name', () => {
  it.each<[string, SingleName, string]>([
    ['whole', { name: 'Example.Test.' }, 'example.test'],
    ['with its TLD apart', { name: 'Bücher', tld: '.TEST' }, 'xn--bcher-kva.test'],
    ['under a longer suffix', { name: 'example', tld: 'co.test' }, 'example.co.test'],
    ['cut at another dot', { name: 'example.co', tld: 'test' }, 'example.co.test'],
    ['with a TLD of null', { name: 'example.test', tld: null }, 'example.test'],
  ])('may be given %s', (_how, single, domain) => {
    expect(parseName(single)).toBe(domain);
  });

  it.each<[SingleName, string, string]>([
    [{ name: ' ' }, 'missing_parameter', 'name'],
    [{ name: 'example', tld: ' ' }, 'missing_parameter', 'tld'],
    [{ name: 'example' }, 'invalid_name', 'name'],
    [{ name: 'a_b.test' }, 'invalid_name', 'name'],
    [{ name: 'a_b', tld: 'test' }, 'invalid_name', 'name'],
    [{ name: 'example', tld: '*' }, 'invalid_name', 'tld'],
  ])('%j is refused as %s, and the culprit is named', (single, code, param) => {
    expect(problemOf(() => parseName(single))).toMatchObject({ code, param });
  });
});

describe('a search', () => {
  it('is a name for each TLD, in the order asked, equal ones folded', () => {
    expect(domainsOf({ name: 'Example', tlds: ['net', '.COM', 'com.', 'co.uk', 'NET'] })).toEqual([
      'example.net',
      'example.com',
      'example.co.uk',
    ]);
  });

  it('is a list of whole names, in the order asked, equal ones folded', () => {
    expect(
      domainsOf({ domains: ['b.test', 'Bücher.test', 'xn--bcher-kva.test.', 'B.TEST', 'a.test'] }),
    ).toEqual(['b.test', 'xn--bcher-kva.test', 'a.test']);
  });

  it('keeps an entry that is no name in its place, as it was typed', () => {
    const asked = askedNames({ domains: ['a.test', ' A_B.Test ', 'b.test', 'A_B.Test'] });
    expect(asked.map(({ domain }) => domain)).toEqual(['a.test', 'A_B.Test', 'b.test']);
    expect(asked[1]).toMatchObject({ problem: { code: 'invalid_name' } });
    expect(domainsOf({ name: ' Example', tlds: ['com', ' .a_b '] })).toEqual([
      'example.com',
      'Example.a_b',
    ]);
  });

  it.each<[string, Search, string, string]>([
    [
      'both forms at once',
      { name: 'a', tlds: ['test'], domains: ['a.test'] },
      'invalid_parameter',
      'domains',
    ],
    [
      'TLDs and whole names',
      { tlds: ['test'], domains: ['a.test'] },
      'invalid_parameter',
      'domains',
    ],
    ['neither form', {}, 'invalid_parameter', 'name'],
    ['nulls alone', { name: null, tlds: null, domains: null }, 'invalid_parameter', 'name'],
    ['TLDs without a label', { tlds: ['test'] }, 'missing_parameter', 'name'],
    ['an empty label', { name: ' ', tlds: ['test'] }, 'missing_parameter', 'name'],
    ['a label without TLDs', { name: 'a' }, 'missing_parameter', 'tlds'],
    ['an empty list of TLDs', { name: 'a', tlds: [] }, 'missing_parameter', 'tlds'],
    ['an empty list of names', { domains: [] }, 'missing_parameter', 'domains'],
    [
      'two labels where one is meant',
      { name: 'www.example', tlds: ['com'] },
      'invalid_name',
      'name',
    ],
  ])('with %s is refused', (_what, search, code, param) => {
    expect(problemOf(() => askedNames(search))).toMatchObject({ code, param });
  });
});

describe('an entry of a list', () => {
  it('never throws', () => {
    expect(parseEntry('example.test')).toMatchObject({ domain: 'example.test' });
    expect(parseEntry(' example ')).toMatchObject({
      domain: 'example',
      problem: { code: 'invalid_name' },
    });
  });

  it('has a label and a suffix, even when it is no name', () => {
    expect(splitEntry('example.co.test')).toEqual({ label: 'example', suffix: 'co.test' });
    expect(splitEntry('example')).toEqual({ label: 'example', suffix: '' });
  });
});

describe('an age', () => {
  it('is a number of seconds, or none', () => {
    expect([
      validateMaxAge(0),
      validateMaxAge(3600),
      validateMaxAge(null),
      validateMaxAge(undefined),
    ]).toEqual([0, 3600, undefined, undefined]);
    expect(problemOf(() => validateMaxAge(-1))).toMatchObject({
      code: 'invalid_max_age',
      param: 'maxAge',
    });
  });
});
