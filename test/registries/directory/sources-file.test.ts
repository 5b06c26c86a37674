import { describe, expect, it } from 'vitest';
import {
  noSourceSettings,
  parseSetsFile,
  parseSourcesFile,
} from '../../../src/registries/directory/sources-file.ts';

const parse = (suffixes: unknown, allowPrivate = false) =>
  parseSourcesFile({ suffixes }, allowPrivate);

const whois = {
  server: 'whois.example',
  available: ['Not found: {name}'],
  registered: ['Domain: {name}'],
};

describe('the sources file', () => {
  it('sets and disables the sources of a suffix', () => {
    const settings = parse(
      {
        eu: { das: '127.0.0.1:14343', dns: ['127.0.0.1:15353'] },
        io: { rdap: ['http://10.0.0.1/rdap', 'https://rdap.example'] },
        xx: { dns: null, rdap: null, das: null },
      },
      true,
    );
    expect(settings.of('eu')).toEqual({
      das: { host: '127.0.0.1', port: 14343 },
      dns: [{ host: '127.0.0.1', port: 15353 }],
    });
    expect(settings.of('io')).toEqual({ rdap: ['https://rdap.example/', 'http://10.0.0.1/rdap/'] });
    expect(settings.of('xx')).toEqual({ dns: null, rdap: null, das: null });
    expect(settings.of('com')).toEqual({});
    expect(settings.suffixes).toEqual(new Set(['eu', 'io', 'xx']));
  });

  it('inherits each source from the longest suffix that mentions it', () => {
    const settings = parse({
      '': { dns: null, rdap: ['https://all.example/'] },
      uk: { rdap: ['https://uk.example/'], das: null },
      'co.uk': { dns: ['9.9.9.9'] },
    });
    expect(settings.of('co.uk')).toEqual({
      rdap: ['https://uk.example/'],
      das: null,
      dns: [{ host: '9.9.9.9', port: 53 }],
    });
    expect(settings.of('org.uk')).toEqual({ rdap: ['https://uk.example/'], das: null, dns: null });
    expect(settings.of('com')).toEqual({ rdap: ['https://all.example/'], dns: null });
    expect(settings.of('')).toEqual(settings.of('com'));
    expect(settings.suffixes).toEqual(new Set(['uk', 'co.uk']));
  });

  it('finds a suffix in any spelling', () => {
    expect(parse({ '.コム': { dns: null } }).of('xn--tckwe')).toEqual({ dns: null });
  });

  it('configures nothing without a file', () => {
    expect(noSourceSettings.of('com')).toEqual({});
    expect(noSourceSettings.suffixes.size).toBe(0);
  });

  it.each([
    ['9.9.9.9', '9.9.9.9', 53],
    ['9.9.9.9:5353', '9.9.9.9', 5353],
    ['2620:FE::9', '2620:fe::9', 53],
    ['[2620:fe::9]', '2620:fe::9', 53],
    ['[2620:fe::9]:5353', '2620:fe::9', 5353],
  ])('accepts the name server %s', (text, host, port) => {
    expect(parse({ xx: { dns: [text] } }).of('xx').dns).toEqual([{ host, port }]);
  });

  it.each([
    ['das.example', 'das.example', 4343],
    ['DAS.example:43', 'das.example', 43],
    ['9.9.9.9', '9.9.9.9', 4343],
    ['[2620:fe::9]:43', '2620:fe::9', 43],
  ])('accepts the availability service %s', (text, host, port) => {
    for (const suffix of ['eu', 'be', 'ch', 'li', 'lt'])
      expect(parse({ [suffix]: { das: text } }).of(suffix).das).toEqual({ host, port });
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown field', { eu: { http: null } }, /^http of the suffix "eu" is unknown/],
    ['settings that are no object', { eu: 'das.example' }, /^the suffix "eu" must be an object/],
    ['settings that are an array', { eu: [] }, /^the suffix "eu" must be an object/],
    ['an invalid suffix', { 'a b': {} }, /^"a b" is not a TLD or suffix/],
    ['a suffix twice', { eu: {}, '.EU': {} }, /^the suffix "eu" is listed twice/],
    ['no RDAP server', { io: { rdap: [] } }, /^rdap of the suffix "io" must be a list/],
    ['one RDAP server as text', { io: { rdap: 'https://a.example' } }, /^rdap of .* "io" must be/],
    ['an RDAP URL with a query', { io: { rdap: ['https://a.example/?q'] } }, /^rdap .*, got "http/],
    ['an RDAP URL of another scheme', { io: { rdap: ['das://a.example'] } }, /^rdap .*, got "das/],
    ['no name server', { io: { dns: [] } }, /^dns of the suffix "io" must be a list/],
    [
      'a name server by name',
      { io: { dns: ['a.nic.io'] } },
      /^dns of .* "io" .*, got "a\.nic\.io"/,
    ],
    ['a name server with a zone', { io: { dns: ['2620:fe::9%eth0'] } }, /^dns .*, got "2620/],
    ['a name server without brackets', { io: { dns: ['2620:fe::9:::53'] } }, /^dns .*, got "2620/],
    ['port 0', { io: { dns: ['9.9.9.9:0'] } }, /^dns .*, got "9\.9\.9\.9:0"/],
    ['port 65536', { eu: { das: 'das.example:65536' } }, /^das of .* "eu" must be .*, got "das/],
    ['no port after a colon', { eu: { das: 'das.example:' } }, /^das .*, got "das\.example:"/],
    ['a URL as a service', { eu: { das: 'das://das.example:43' } }, /^das .*, got "das:/],
    ['a short address', { eu: { das: '127.1' } }, /^das .*, got "127\.1"/],
    [
      'several services',
      { eu: { das: ['das.example'] } },
      /^das of the suffix "eu" must be a host/,
    ],
    [
      'a service of another registry',
      { de: { das: 'das.example' } },
      /^das .* "de" is not supported/,
    ],
    [
      'WHOIS for all',
      { '': { whois: 'whois.example' } },
      /^whois of the suffix "" is not supported/,
    ],
    ['WHOIS below a TLD', { 'co.za': { whois: 'whois.example' } }, /^whois .*"co\.za" is not supp/],
    [
      'WHOIS without a format',
      { es: { whois: 'whois.example' } },
      /^whois .*"es" needs the format/,
    ],
    [
      'no WHOIS server',
      { es: { whois: { available: ['a'], registered: ['{name}'] } } },
      /^whois of/,
    ],
    [
      'a WHOIS server as a URL',
      { es: { whois: { ...whois, server: 'whois://a' } } },
      /^whois .*got/,
    ],
    [
      'an unknown WHOIS field',
      { es: { whois: { ...whois, regexp: '.*' } } },
      /^whois of .* "es" must/,
    ],
    [
      'a query without the name',
      { es: { whois: { ...whois, query: '/e' } } },
      /^whois of .* "es" must/,
    ],
    ['two queries', { es: { whois: { ...whois, query: '{name}\r\nquit' } } }, /^whois of .* must/],
    ['no line for available', { es: { whois: { ...whois, available: [] } } }, /^whois of .* must/],
    [
      'a query with the name twice',
      { es: { whois: { ...whois, query: '{name} {name}' } } },
      /^whois of .* "es" must have \{name\} once in "query"/,
    ],
    [
      'a line with the name twice',
      { es: { whois: { ...whois, available: ['{name}: {name} is free'] } } },
      /^whois of .* "es" must not have \{name\} twice in the line "\{name\}: \{name\} is free"/,
    ],
    [
      'a line with three placeholders',
      { es: { whois: { ...whois, refusals: ['{text}a{text}b{text}'] } } },
      /^whois of .* "es" must not have more than two placeholders in the line "\{text\}a/,
    ],
    [
      'a suffix that is no name',
      { es: { whois: { ...whois, suffixes: ['a b.es'] } } },
      /^whois of the suffix "es" .*"a b\.es" is not a TLD or suffix/,
    ],
    [
      'no name for registered',
      { es: { whois: { ...whois, registered: ['state: active'] } } },
      /^whois of the suffix "es" must have a line with \{name\} in "registered"/,
    ],
    [
      'a suffix of another TLD',
      { es: { whois: { ...whois, suffixes: ['com.pt'] } } },
      /^whois of the suffix "es" has the suffix "com\.pt", which is not under \.es/,
    ],
    [
      'a sample of another TLD',
      { es: { whois: { ...whois, samples: ['google.pt'] } } },
      /^whois .* has the sample "google\.pt", which is not under \.es/,
    ],
    [
      'an invalid sample',
      { es: { whois: { ...whois, samples: ['-.es'] } } },
      /^whois .* "es" .*-\.es/,
    ],
    ['a service for all', { '': { das: 'das.example' } }, /^das of the suffix "" is not supported/],
  ])('rejects %s, with the reason', (_what, suffixes, message) => {
    expect(() => parse(suffixes, true)).toThrow(message);
  });

  it.each([[undefined], [null], [[]], [{}], ['{}'], [{ suffixes: [] }], [{ suffixes: {}, a: 1 }]])(
    'rejects a document of another form: %j',
    (document) => {
      expect(() => parseSourcesFile(document, true)).toThrow(/^it does not have the form \{"suf/);
    },
  );

  it.each<[string, string, unknown]>([
    ['io', 'rdap', ['https://10.0.0.1/']],
    ['io', 'rdap', ['https://rdap.example/', 'https://[::1]/']],
    ['io', 'rdap', ['https://0x7f.1/']],
    ['io', 'rdap', ['http://rdap.example/']],
    ['eu', 'das', '192.168.0.1'],
    ['eu', 'das', '[fd00::1]:4343'],
    ['io', 'dns', ['9.9.9.9', '127.0.0.1:15353']],
    ['io', 'dns', ['::ffff:127.0.0.1']],
  ])('accepts private addresses only with RDAP_ALLOW_PRIVATE: %s %s %j', (suffix, field, value) => {
    const suffixes = { [suffix]: { [field]: value } };
    expect(() => parse(suffixes)).toThrow(
      new RegExp(`^${field} of the suffix "${suffix}": .* RDAP_ALLOW_PRIVATE=true`),
    );
    expect(parse(suffixes, true).of(suffix)).toHaveProperty(field);
  });
});

it.each([
  [[], 'it must have the form {"My brands": ["com", "co.uk"]}'],
  [{ A: [] }, 'set "A": it must have the form'],
  [{ A: ['com', 1] }, 'set "A": it must have the form'],
  [{ A: ['b_c'] }, '"b_c" is not a TLD or suffix'],
  [{ 'a,b': ['com'] }, 'set "a,b": it must have the form'],
])('the file of sets %j is rejected', (document, message) => {
  expect(() => parseSetsFile(document)).toThrow(message);
});
