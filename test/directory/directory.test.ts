import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import type { Registry } from '../../src/domain/source.ts';
import { createDirectory } from '../../src/directory/directory.ts';

const registryOf = (id: string): Registry => ({
  id,
  lookup: () => [],
  readCache: async () => new Map(),
});

/** Who answers for a name where these entries are known: the entry, or the code of the problem. */
function whoFor(name: string, ...entries: readonly string[]): string {
  const registries = new Map(
    entries.map((entry): [string, Registry] => [entry, registryOf(entry)]),
  );
  const place = createDirectory(() => registries).resolve(parseDomainName(name));
  return 'problem' in place ? place.problem.code : `registry of "${place.registry.id}"`;
}

describe('the directory', () => {
  it.each([
    ['example.com', ['com'], 'com'],
    ['example.com', ['com', 'net', 'mple.com'], 'com'],
    ['example.xn--p1ai', ['xn--p1ai'], 'xn--p1ai'],
    ['example.telecom', ['com', 'telecom'], 'telecom'],
    ['example.co.uk', ['uk'], 'uk'],
    ['example.co.uk', ['uk', 'co.uk'], 'co.uk'],
    ['example.org.uk', ['uk', 'co.uk'], 'uk'],
    ['example.uk', ['uk', 'co.uk'], 'uk'],
    ['example.com.br', ['br', 'com'], 'br'],
    ['example.ac.uk', ['uk'], 'uk'],
    ['example.uk.com', ['com', 'uk.com'], 'uk.com'],
    ['example.corp', ['corp'], 'corp'],
    ['example.eu.corp', ['corp', 'eu.corp'], 'eu.corp'],
    ['example.com', ['', 'net'], ''],
    ['example.net', ['', 'net'], 'net'],
    ['example.co.uk', [''], ''],
  ])(
    'sends %s, where %j are known, to the longest entry that ends it, label by label',
    (name, entries, entry) => {
      expect(whoFor(name, ...entries)).toBe(`registry of "${entry}"`);
    },
  );

  it.each([
    ['a name under a suffix that somebody else sells', 'foo.uk.com', ['com']],
    ['a name under a platform', 'x.github.io', ['io']],
    ['a name under a platform, though its TLD is not served', 'x.github.io', ['com']],
    ['a name one level too deep', 'www.example.com', ['com']],
    ['a name two levels too deep', 'a.www.example.com', ['com']],
    ['a name too deep under a suffix of two labels', 'www.example.co.uk', ['uk']],
    ['a name too deep under an override', 'www.example.uk.com', ['com', 'uk.com']],
    ['a name too deep under a TLD that nobody lists publicly', 'www.example.corp', ['corp']],
    ['a name too deep under the root', 'www.example.com', ['']],
    ['a suffix alone', 'co.uk', ['uk']],
    ['a suffix alone that is an entry', 'uk.com', ['com', 'uk.com']],
    ['a suffix by a wildcard', 'anything.ck', ['ck']],
    ['a name too deep under a wildcard', 'www.example.anything.ck', ['ck']],
  ])('calls %s invalid: %s, where %j are known', (_what, name, entries) => {
    expect(whoFor(name, ...entries)).toBe('invalid_name');
  });

  it('reads wildcards in the list of public suffixes, and their exceptions', () => {
    expect(whoFor('example.anything.ck', 'ck')).toBe('registry of "ck"');
    expect(whoFor('www.ck', 'ck')).toBe('registry of "ck"');
    expect(whoFor('example.chuo.kobe.jp', 'jp')).toBe('registry of "jp"');
    expect(whoFor('city.kobe.jp', 'jp')).toBe('registry of "jp"');
    expect(whoFor('chuo.kobe.jp', 'jp')).toBe('invalid_name');
    expect(whoFor('www.city.kobe.jp', 'jp')).toBe('invalid_name');
  });

  it.each([
    ['a TLD without a server', 'example.io', ['com']],
    ['a suffix of it', 'example.com.mx', ['com']],
    ['a TLD that does not exist', 'example.doesnotexist', ['com']],
    ['a TLD whose end is an entry', 'example.telecom', ['com']],
    ['anything, while nothing is known', 'example.com', []],
  ])('says that no server is known for %s: %s, where %j are known', (_what, name, entries) => {
    expect(whoFor(name, ...entries)).toBe('unsupported_tld');
  });

  it('follows its entries as they change', () => {
    let entries = new Map<string, Registry>();
    const directory = createDirectory(() => entries);
    expect(directory.resolve(parseDomainName('example.com'))).toHaveProperty('problem');
    const registry = registryOf('com');
    entries = new Map([['com', registry]]);
    expect(directory.resolve(parseDomainName('example.com'))).toEqual({ registry });
  });
});
