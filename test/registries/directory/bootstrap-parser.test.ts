import { describe, expect, it } from 'vitest';
import { parseSuffix } from '../../../src/domain/names/domain-name.ts';
import {
  readBootstrap,
  readOverrides,
} from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { bootstrapOf } from '../../support/servers/fake-bootstrap.ts';

const urlsOf = (services: unknown, entry: string) =>
  readBootstrap({ version: '1.0', services }).get(entry)?.baseUrls;
const document = (...services: unknown[]) => ({
  version: '1.0',
  publication: '2026-07-14T22:00:03Z',
  services,
});

describe('a bootstrap document (RFC 9224)', () => {
  it('maps each entry to its server', () => {
    const services = readBootstrap(
      document([['com', 'net'], ['https://a.test/com/']], [['org'], ['https://b.test/']]),
    );
    expect(Array.from(services.keys())).toEqual(['com', 'net', 'org']);
    expect(services.get('net')).toEqual({
      baseUrls: ['https://a.test/com/'],
      trust404: true,
      isListed: true,
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      'plain HTTP is left out if there is HTTPS',
      ['http://a.test/', 'https://b.test/', 'https://c.test/'],
      ['https://b.test/', 'https://c.test/'],
    ],
    [
      'a missing trailing slash is added',
      ['https://a.test/rdap', 'https://b.test'],
      ['https://a.test/rdap/', 'https://b.test/'],
    ],
    ['a port is preserved', ['https://a.test:8443/'], ['https://a.test:8443/']],
    ['a URL is normalized', ['HTTPS://A.Test/Rdap/'], ['https://a.test/Rdap/']],
    [
      'an invalid URL is dropped',
      [
        'ftp://a.test/',
        'nonsense',
        'file:///etc/',
        'https://u:p@a.test/',
        'https://a.test/?q=',
        'https://a.test/#f',
        'https://b.test/',
      ],
      ['https://b.test/'],
    ],
  ])('may list several base URLs: %s', (_what, urls, baseUrls) => {
    expect(urlsOf([[['com'], urls]], 'com')).toEqual(baseUrls);
  });

  it('may have entries in any spelling, longer suffixes and the root', () => {
    const url = ['https://a.test/'];
    const services = readBootstrap(
      document([['COM', '.net', 'org.', 'рф', 'XN--FIQS8S', 'co.uk', ''], url]),
    );
    expect(Array.from(services.keys())).toEqual([
      'com',
      'net',
      'org',
      'xn--p1ai',
      'xn--fiqs8s',
      'co.uk',
      '',
    ]);
  });

  it('is parsed without its invalid entries and services', () => {
    const services = readBootstrap(
      document(
        [['a_b', '2001:db8::/32', 'xn--zzzz99', 'com'], ['https://a.test/']],
        [['net'], []],
        [['org'], ['nonsense']],
      ),
    );
    expect(Array.from(services.keys())).toEqual(['com']);
  });

  it('may have unknown members', () => {
    const services = readBootstrap({
      ...document([['com'], ['https://a.test/'], ['a third']]),
      description: 'x',
      'x-other': [1],
    });
    expect(services.get('com')?.baseUrls).toEqual(['https://a.test/']);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'services'],
    ['an empty object', {}],
    ['services that are not an array', { services: {} }],
    ['no services', document()],
    ['a service without base URLs', document([['com']])],
    ['entries that are not strings', document([[1], ['https://a.test/']])],
    ['base URLs that are not strings', document([['com'], [{}]])],
    ['no usable service', document([['com'], ['nonsense']])],
  ])('is rejected if it is or has %s', (_what, value) => {
    expect(() => readBootstrap(value)).toThrow(
      /^(?:not an RFC 9224 document|the document names no server)/,
    );
  });
});

describe('overrides', () => {
  const services = bootstrapOf({ xy: 'https://a.test/', 'uk.com': 'https://b.test/' });

  it('trust a "not found" only for entries in trust404', () => {
    expect(readOverrides(services).get('xy')?.trust404).toBe(false);
    const overrides = readOverrides({ ...services, trust404: ['.UK.COM', 'other'] });
    expect(overrides.get('xy')?.trust404).toBe(false);
    expect(overrides.get('uk.com')?.trust404).toBe(true);
  });

  it('are the only documents in which trust404 has an effect', () => {
    expect(readBootstrap({ ...services, trust404: [] }).get('xy')?.trust404).toBe(true);
  });
});

describe('the built-in table', () => {
  it('has entries in canonical form', () => {
    const entries = table.services.flatMap(([some = []]) => some);
    expect(entries.filter((entry) => parseSuffix(entry) !== entry)).toEqual([]);
  });

  it('is complete', () => {
    const services = readBootstrap(table);
    expect(services.has('com')).toBe(true);
    expect(services.size).toBeGreaterThan(1000);
    for (const { baseUrls } of services.values()) expect(baseUrls[0]).toMatch(/^https?:\/\/.+\/$/);
  });
});
