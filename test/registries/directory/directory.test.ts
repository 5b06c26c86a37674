import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../src/domain/directory.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Registry } from '../../../src/domain/source.ts';
import { createDirectory } from '../../../src/registries/directory/directory.ts';

const policy = { kind: 'UNKNOWN' } as const;

const registryOf = (id: string): Registry => ({
  id,
  sources: [],
  lookup: () => Promise.reject(new Error('no lookup was expected')),
  readCache: async () => new Map(),
});

function directoryOf(...entries: readonly string[]): Directory {
  const registries = new Map(
    entries.map((entry): [string, Registry] => [entry, registryOf(entry)]),
  );
  return createDirectory(
    () => registries,
    () => policy,
  );
}

/** Returns the registry of a name in a directory with these entries, or the problem code. */
function registryFor(name: string, ...entries: readonly string[]): string {
  const resolution = directoryOf(...entries).resolve(splitName(parseDomainName(name)));
  return 'problem' in resolution
    ? resolution.problem.code
    : `registry of "${resolution.registry.id}"`;
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
  ])('resolves %s with the entries %j to the longest matching entry', (name, entries, entry) => {
    expect(registryFor(name, ...entries)).toBe(`registry of "${entry}"`);
  });

  it.each([
    ['a name under a private suffix', 'foo.uk.com', ['com']],
    ['a name of a hosting platform', 'x.github.io', ['io']],
    ['a name of a hosting platform under an unsupported TLD', 'x.github.io', ['com']],
    ['a name one level too deep', 'www.example.com', ['com']],
    ['a name two levels too deep', 'a.www.example.com', ['com']],
    ['a name too deep under a two-label suffix', 'www.example.co.uk', ['uk']],
    ['a name too deep under an override', 'www.example.uk.com', ['com', 'uk.com']],
    ['a name too deep under a TLD outside the Public Suffix List', 'www.example.corp', ['corp']],
    ['a name too deep under the root', 'www.example.com', ['']],
    ['a suffix', 'co.uk', ['uk']],
    ['a suffix that is an entry', 'uk.com', ['com', 'uk.com']],
    ['a wildcard suffix', 'anything.ck', ['ck']],
    ['a name too deep under a wildcard suffix', 'www.example.anything.ck', ['ck']],
  ])('rejects %s: %s with the entries %j', (_what, name, entries) => {
    expect(registryFor(name, ...entries)).toBe('invalid_name');
  });

  it('applies wildcards and exceptions of the Public Suffix List', () => {
    expect(registryFor('example.anything.ck', 'ck')).toBe('registry of "ck"');
    expect(registryFor('www.ck', 'ck')).toBe('registry of "ck"');
    expect(registryFor('example.chuo.kobe.jp', 'jp')).toBe('registry of "jp"');
    expect(registryFor('city.kobe.jp', 'jp')).toBe('registry of "jp"');
    expect(registryFor('chuo.kobe.jp', 'jp')).toBe('invalid_name');
    expect(registryFor('www.city.kobe.jp', 'jp')).toBe('invalid_name');
  });

  it.each([
    ['a TLD without a server', 'example.io', ['com']],
    ['a public suffix of a TLD without a server', 'example.com.mx', ['com']],
    ['a TLD that does not exist', 'example.doesnotexist', ['com']],
    ['a TLD that ends with an entry', 'example.telecom', ['com']],
    ['any name in an empty directory', 'example.com', []],
  ])('does not support %s: %s with the entries %j', (_what, name, entries) => {
    expect(registryFor(name, ...entries)).toBe('unsupported_tld');
  });

  it.each([
    [
      'printer.local',
      ['com'],
      '.local is reserved for names in the local network (mDNS) (RFC 6762)',
    ],
    ['service.onion', ['com'], '.onion is reserved for services in the Tor network (RFC 7686)'],
    ['example.invalid', ['com', ''], '(RFC 6761)'],
    ['example.example', [''], '(RFC 6761)'],
    ['example.test', ['com'], '(RFC 6761)'],
    ['router.home.arpa', ['arpa'], '.home.arpa is reserved for home networks (RFC 8375)'],
    ['resolver.arpa', ['arpa'], '(RFC 9462)'],
    ['10.in-addr.arpa', ['arpa'], '(RFC 6761)'],
    ['server.internal', ['com'], 'ICANN'],
  ])('never queries a registry for %s with the entries %j', (name, entries, reason) => {
    const directory = directoryOf(...entries);
    expect(directory.resolve(splitName(parseDomainName(name)))).toMatchObject({
      problem: { code: 'unsupported_tld', message: expect.stringContaining(reason) },
    });
  });

  it.each([
    ['taken.test', 'test'],
    ['server.internal', 'internal'],
    ['router.home.arpa', 'home.arpa'],
    ['example.com', 'com'],
    ['192.in-addr.arpa', 'arpa'],
  ])('queries the registry of %s if it has an entry of its own', (name, entry) => {
    expect(registryFor(name, entry)).toBe(`registry of "${entry}"`);
  });

  it('uses the current entries', () => {
    let entries = new Map<string, Registry>();
    const directory = createDirectory(
      () => entries,
      () => policy,
    );
    expect(directory.resolve(splitName(parseDomainName('example.com')))).toHaveProperty('problem');
    const registry = registryOf('com');
    entries = new Map([['com', registry]]);
    expect(directory.resolve(splitName(parseDomainName('example.com')))).toEqual({
      registry,
      policy,
    });
  });
});
