import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { Json } from '../../../src/domain/registration.ts';
import { asObject, readJson } from '../../../src/registries/rdap/json.ts';
import sentences from '../../../src/registries/rdap/not-found-sentences.json' with { type: 'json' };
import { classifyNotFoundText } from '../../../src/registries/rdap/not-found-text.ts';

const { absent, additional, variables, withheld } = sentences;
const name = parseDomainName('bücher.example');

function meaningOf(
  description: Json,
  members: Record<string, Json> = {},
  title: Json = 'Not Found',
) {
  return classifyNotFoundText({ errorCode: 404, title, description, ...members }, name);
}

describe('the text of a 404', () => {
  it.each<[string, Json]>([
    ['Object not found', 'Object not found'],
    ['Error processing request', ['Not found']],
    ['OBJECT NOT FOUND', ['object not found!']],
    ['', []],
    ['Error 404', []],
    ['404 Not Found', ['The domain xn--bcher-kva.example was not found in our database.']],
    ['Not Found', ['The requested domain name does not exist.']],
    ['No data found', 'No match for "BÜCHER.EXAMPLE".'],
    ['Domain not registered', ['No such domain: "xn--bcher-kva" in zone .example']],
    ['Not Found', ['bücher.example is not registered']],
    ['NOT FOUND', ['The queried object does', 'not exist: DOMAIN NOT FOUND']],
    ['Not Found', ['No object was found matching your query']],
    ['Not Found', { 0: 'No entries found for the selected source(s).' }],
    ['Domain Not Found', 'The domain you are looking for does not exist.'],
    ['Not Found', 'Could not find the domain xn--bcher-kva.example'],
    ['Not Found', 'Unable to find domain "xn--bcher-kva.example".'],
    ['Not Found', 'Cannot find bücher.example in the registry database'],
    ['Not Found', 'We could not find the domain you requested.'],
    ['Not Found', 'No RDAP data found for domain xn--bcher-kva.example'],
    ['Not Found', 'The server has not found anything matching the Request-URI.'],
    ['Not Found', 'Domain name is not currently registered'],
    ['Not Found', "xn--bcher-kva.example isn't registered"],
    ['Not Found', 'There are no records matching your query.'],
    ['Not Found', 'The query did not return any results.'],
    ['Not Found', 'The query returned 0 results.'],
    ['Not Found', 'Object with handle xn--bcher-kva.example not found'],
    ['DomainNotFound', []],
    ['Not Found', 'No domain found with ldhName xn--bcher-kva.example'],
    ['Not Found', 'The domain name is free.'],
    ['Not Found', ['Domain not found.', 'Terms of Use: https://registry.example/terms?q=1']],
    ['Not Found', 'Domain not found. Please check the spelling.'],
    ['Object not found', 'The domain was not found in the RDAP database of this server.'],
    ['Not Found', ['bücher.example not found']],
    ['Domain not found', ['The domain you requested does not exist in our database.']],
    ['Not Found', ['Domain not found :', 'xn--bcher-kva.example']],
    ['Not Found', ['The requested domain was not found in the RDAP database.']],
    ['Not Found', 'Domain xn--bcher-kva.example not found'],
    ['Domain not found', ['bücher.example is not registered.']],
    ['No matching record.', []],
    [
      'Not Found',
      'The requested domain was not found in the Registry or Registrar’s WHOIS Server.',
    ],
    ['404', 'bücher.example: no entries found'],
    ['Not Found', 'No domain matching xn--bcher-kva.example was found.'],
    ['Not Found', 'The domain has not been registered.'],
    ['Not Found', 'xn--bcher-kva.example does not exist in .example.'],
    ['404 Error', 'This domain name is available for registration.'],
    ['Not Found', 'bücher.example not found; bücher.example is not registered'],
  ])('means that the name does not exist: %s %j', (title, description) => {
    expect(meaningOf(description, {}, title)).toBe('not found');
  });

  it.each([
    'Service temporarily unavailable due to maintenance',
    'Down for maintenance, please try again later',
    'This server does not serve this TLD',
    'Invalid domain name: the name is malformed',
    'The domain name is not available',
    'This name cannot be registered',
    'This is a restricted name held by the registry',
    'Name collision: withheld from allocation',
    'Der Name ist reserviert oder gesperrt',
    'Too many queries',
    'Your IP address was blocked due to excessive queries.',
    'Not found in cache, backend unreachable',
    'Access denied',
    'No data: database connection failed',
    'Premium name',
    'Database not found',
    'Zone not found',
    'Server not found',
    'TLD not found',
    'Registry database not found',
    'The whois server was not found',
    'No such zone',
    'No such data source',
    'Domain database does not exist',
    'Resource server not found',
    'No domain name was given',
    'cannot not found',
    'Query not found',
    'Not found: try again later',
    'There was an error processing your request. No data',
    'Error processing request',
    'Error',
    'An error occurred. Object not found',
    'No data found: request could not be processed',
    'The specified domain was not found because of an internal error',
    'Not found (code 500)',
    'Error 500: not found',
    'No RDAP service is available for this resource',
    'Endpoint not found',
    'The requested URL was not found on this server.',
    'Invalid TLD. Please search only allowed TLDs.',
    'Not implemented',
    'Domain not found. This premium domain is available for purchase.',
    'No data available at this time',
    'Unable to find data source',
    'Cannot find domain: lookup timed out',
    'Domain not found or access not permitted',
    'The domain is not registered with this registrar',
    'Auction pending',
    'Your request was blocked',
    'Request blocked by the firewall',
    'Reserved for maintenance',
    'The domain is blocked for your network',
    'This name is not available for registration: TLD not supported by this registry interface',
    'bücher.example is registered',
    'No match for bücher.example on this replica',
    'The domain name is available',
  ])('is not recognized, with any title: %s', (text) => {
    for (const title of ['Not Found', 'Error', text, ''])
      expect(meaningOf([text], {}, title), title).toBe('unrecognized');
  });

  it.each([
    'This name is not available for registration: Registry Reserved',
    'Domain Name: xn--bcher-kva.example. This name is not available for registration',
    'Reserved by the Registry',
    'Reserved for EXAMPLE Registry',
    'bücher.example blocked by BSA',
    'This is an ICANN reserved name',
    'Prohibited String - Object Cannot Be Registered',
    'This name is not available for registration: This name subscribes to the AdultBlock+ product',
    'This name is reserved by the Registry in accordance with ICANN Policy.',
    'This domain has been reserved by the registry, and is not available for registration',
    'The registration of this domain is restricted, as it is protected by the Donuts DPML Brand ' +
      'Protection policy. Additional information can be found at https://registry.example/dpml.',
  ])('means that the registry withholds the name: %s', (text) => {
    for (const title of ['Not Found', 'Domain not found', text, ''])
      expect(meaningOf([text], {}, title), title).toBe('withheld');
  });

  it.each(['Sorry', 'Terms of Use: https://registry.example/terms', 'Domain Name: bücher.example'])(
    'says nothing about the name by itself: %s',
    (text) => {
      expect(meaningOf(text, {}, '')).toBe('unrecognized');
      expect(meaningOf(text, {}, 'Object not found')).toBe('not found');
    },
  );

  it('is compared with sentences whose variables are all defined', () => {
    const texts = [absent, additional, withheld, ...Object.values(variables)].flat();
    const used = texts.flatMap((sentence) =>
      Array.from(sentence.matchAll(/\{(\w+)\}/g), ([, variable]) => variable),
    );
    expect(Object.keys(variables).toSorted()).toEqual([...new Set(used)].toSorted());
  });

  it('is classified in linear time, however often it repeats a sentence', () => {
    const text = 'not found bücher.example '.repeat(39);
    expect(meaningOf(text)).toBe('not found');
    expect(meaningOf(`${text}x`)).toBe('unrecognized');
    expect(meaningOf(text.repeat(100))).toBe('unrecognized');
  });

  it.each([
    [
      'the text contains another name under the same suffix',
      ['The domain other.example was not found.'],
      {},
    ],
    ['the object has another name', [], { ldhName: 'other.example' }],
    [
      'its link is the lookup of another name',
      [],
      { links: [{ rel: 'Self', href: 'https://rdap.example/domain/other.example' }] },
    ],
    [
      'a link of its terms of use has the URL of another lookup',
      [],
      { notices: [{ links: [{ value: 'https://rdap.example/domain/OTHER.example.' }] }] },
    ],
  ] as const)('belongs to another query if %s', (_case, description, members) => {
    expect(meaningOf(description, members as Record<string, Json>)).toBe('another name');
  });

  it.each<[string, Record<string, Json>]>([
    ['a status', { status: ['active'] }],
    ['nameservers', { nameservers: [{ ldhName: 'ns1.example.net' }] }],
    ['a handle', { handle: 'D1-EXAMPLE' }],
    ['a description that is an object', { description: { text: 'registered' } }],
    ['a title that is an object', { title: { a: 'Registered' } }],
    ['a number', { description: [404] }],
  ])('is not recognized together with %s', (_case, members) => {
    expect(meaningOf('Not found', members)).toBe('unrecognized');
  });

  it('belongs to the query if it repeats the name in any form', () => {
    for (const written of [
      'bücher.example',
      'BÜCHER.EXAMPLE',
      'xn--bcher-kva.example',
      'xn--bcher-kva.example.',
    ]) {
      const links = [encodeURI, encodeURIComponent, String].map((spell) => ({
        value: `https://rdap.example/domain/${spell(written)}`,
      }));
      for (const members of [{ ldhName: written }, ...links.map((link) => ({ links: [link] }))])
        expect(meaningOf([`Domain ${written} not found`], members), written).toBe('not found');
      for (const link of links)
        expect(meaningOf('', { links: [link] }), link.value).toBe('not found');
    }
  });

  it.each(['terms', 'terms.html', 'XXXX', '%7Bdomain%7D', 'other.test'])(
    'belongs to the query if a link of its terms of use ends with /domain/%s',
    (page) => {
      const links = [{ value: `https://registry.test/domain/${page}` }];
      for (const member of ['notices', 'remarks'])
        expect(meaningOf('Not found', { [member]: [{ links }] }), member).toBe('not found');
    },
  );

  it('belongs to the query if it repeats a name with combining marks', () => {
    const hindi = parseDomainName('हिंदक.example');
    const error = { errorCode: 404, description: ['हिंदक.example not found'] };
    expect(classifyNotFoundText(error, hindi)).toBe('not found');
  });

  it.each(['maintenance', 'not', 'found', 'reserved', 'blocked', 'premium'])(
    'is classified correctly if the label is a significant word: %s',
    (label) => {
      const own = parseDomainName(`${label}.example`);
      const read = (text: string) =>
        classifyNotFoundText({ errorCode: 404, title: 'Not Found', description: [text] }, own);
      expect(read(`Domain ${label}.example not found`)).toBe('not found');
      expect(read(`No such domain: "${label}"`)).toBe('not found');
      expect(read('Down for maintenance')).toBe('unrecognized');
      expect(read('This name is reserved')).toBe('withheld');
    },
  );
});

const data = join(import.meta.dirname, '../../../../shared/data');
const isPresent = existsSync(join(data, 'corpus.manifest.json'));

describe.skipIf(!isPresent)(
  `captured 404 bodies${isPresent ? '' : ` (skipped: ${data} does not exist)`}`,
  () => {
    const files = isPresent
      ? ['corpus', 'errors-other'].flatMap((folder) =>
          readdirSync(join(data, folder)).map((file) => join(folder, file)),
        )
      : [];
    const bodies = files
      .filter((file) => /__404.*\.json$/.test(file))
      .map((file) => [file, readFileSync(join(data, file))] as const);

    it('are recognized only if a domain registry says "not found"', () => {
      const meanings = bodies.map(([file, body]) => {
        const queried = parseDomainName(/corpus.\w+__([^_]+)__/.exec(file)?.[1] ?? 'example.test');
        return [
          file.split(/[/\\]/).at(-1),
          classifyNotFoundText(asObject(readJson(body)), queried),
        ];
      });
      expect(Object.fromEntries(meanings)).toEqual({
        'com__jsiqpmcurt.com__404.json': 'not found',
        'design__jsiqpmcurt.design__404.json': 'not found',
        'fun__jailbreaks.fun__404.json': 'withheld',
        'org__scriptdrive.org__404__registrar-www.above.com.json': 'not found',
        // Number registries: some texts also mention the syntax or nameservers.
        'rir__404__AS5496JP.json': 'unrecognized',
        'rir__404__EK6175JP.json': 'unrecognized',
        'rir__404__HKBN-HK.json': 'unrecognized',
        'rir__404__JNIC1-AP.json': 'not found',
        'rir__404__MO5920JP.json': 'unrecognized',
        'rir__404__YK11438JP.json': 'unrecognized',
        'rir__404__error_ripe_404.json': 'unrecognized',
      });
    });
  },
);
