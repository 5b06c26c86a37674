import { describe, expect, it } from 'vitest';
import { parseSuffix } from '../../src/domain/domain-name.ts';
import { readBootstrap, readOverrides } from '../../src/directory/bootstrap-parser.ts';
import table from '../../src/directory/bootstrap-table.json' with { type: 'json' };
import { bootstrapOf } from '../support/fake-bootstrap.ts';

const urlsOf = (services: unknown, entry: string) =>
  readBootstrap({ version: '1.0', services }).get(entry)?.baseUrls;
const document = (...services: unknown[]) => ({
  version: '1.0',
  publication: '2026-07-14T22:00:03Z',
  services,
});

describe('a bootstrap document (RFC 9224)', () => {
  it('says which server answers for each entry', () => {
    const services = readBootstrap(
      document([['com', 'net'], ['https://a.test/com/']], [['org'], ['https://b.test/']]),
    );
    expect(Array.from(services.keys())).toEqual(['com', 'net', 'org']);
    expect(services.get('net')).toEqual({ baseUrls: ['https://a.test/com/'], trust404: true });
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      'HTTPS goes first',
      ['http://a.test/', 'https://b.test/', 'https://c.test/'],
      ['https://b.test/', 'https://c.test/', 'http://a.test/'],
    ],
    [
      'a missing slash at the end is added',
      ['https://a.test/rdap', 'https://b.test'],
      ['https://a.test/rdap/', 'https://b.test/'],
    ],
    ['a port stays', ['https://a.test:8443/'], ['https://a.test:8443/']],
    ['an address is written as one', ['HTTPS://A.Test/Rdap/'], ['https://a.test/Rdap/']],
    [
      'what is no web address is left out',
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
  ])('may hold several addresses: %s', (_what, urls, baseUrls) => {
    expect(urlsOf([[['com'], urls]], 'com')).toEqual(baseUrls);
  });

  it('may write entries oddly, hold longer ones, and the root', () => {
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

  it('loses no entry to an odd one beside it, nor a server to one that has none', () => {
    const services = readBootstrap(
      document(
        [['a_b', '2001:db8::/32', 'xn--zzzz99', 'com'], ['https://a.test/']],
        [['net'], []],
        [['org'], ['nonsense']],
      ),
    );
    expect(Array.from(services.keys())).toEqual(['com']);
  });

  it('may hold members that nobody knows', () => {
    const services = readBootstrap({
      ...document([['com'], ['https://a.test/'], ['a third']]),
      description: 'x',
      'x-other': [1],
    });
    expect(services.get('com')?.baseUrls).toEqual(['https://a.test/']);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'services'],
    ['an empty object', {}],
    ['services that are no list', { services: {} }],
    ['no services', document()],
    ['a service without addresses', document([['com']])],
    ['entries that are no texts', document([[1], ['https://a.test/']])],
    ['addresses that are no texts', document([['com'], [{}]])],
    ['no service that can be used', document([['com'], ['nonsense']])],
  ])('is refused when it is, or has, %s', (_what, value) => {
    expect(() => readBootstrap(value)).toThrow(
      /^(?:not an RFC 9224 document|the document names no server)/,
    );
  });
});

describe('overrides', () => {
  const services = bootstrapOf({ xy: 'https://a.test/', 'uk.com': 'https://b.test/' });

  it('are not believed when they say "not found", unless they are listed as trusted', () => {
    expect(readOverrides(services).get('xy')?.trust404).toBe(false);
    const trusting = readOverrides({ ...services, trust404: ['.UK.COM', 'other'] });
    expect([trusting.get('xy')?.trust404, trusting.get('uk.com')?.trust404]).toEqual([false, true]);
  });

  it('have no say in that in the list of IANA', () => {
    expect(readBootstrap({ ...services, trust404: [] }).get('xy')?.trust404).toBe(true);
  });
});

describe('the table in the repository', () => {
  it('has its entries as anybody else would have to write them', () => {
    const entries = table.services.flatMap(([some = []]) => some);
    expect(entries.filter((entry) => parseSuffix(entry) !== entry)).toEqual([]);
  });

  it('is a whole list', () => {
    const services = readBootstrap(table);
    expect(services.has('com')).toBe(true);
    expect(services.size).toBeGreaterThan(1000);
    for (const { baseUrls } of services.values()) expect(baseUrls[0]).toMatch(/^https?:\/\/.+\/$/);
  });
});
