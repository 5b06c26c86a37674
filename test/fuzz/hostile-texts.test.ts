import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/names/domain-name.ts';
import { detectObjectType } from '../../src/domain/object-ref.ts';
import { withoutEmailAddresses } from '../../src/sites/page/page-text.ts';
import { parseRobots } from '../../src/sites/robots/robots-reader.ts';
import { normalizeStatus } from '../../src/domain/epp-status.ts';
import { renderError } from '../../src/api/graphql/errors.ts';
import { joinVary } from '../../src/server/messages/api-paths.ts';
import { createLog } from '../../src/log.ts';
import { normalizeAddress } from '../../src/domain/names/ip-address.ts';
import { hasLastLine } from '../../src/registries/whois/das-source.ts';
import { dasServiceOf } from '../../src/registries/whois/das-services.ts';
import { classifyNotFoundText, refusesLookup } from '../../src/registries/rdap/not-found-text.ts';
import { readStatuses } from '../../src/registries/rdap/registration.ts';
import { decodeHtml } from '../../src/sites/page/html-tokens.ts';
import { compileFormat, readReply } from '../../src/registries/whois/classify-whois-reply.ts';
import { RecordReader } from '../../src/registries/whois/read-record.ts';
import { whoisServiceOf } from '../../src/registries/whois/whois-format.ts';

const name = parseDomainName('taken.eu');
const size = 64 * 1024;

/** Texts that make a regular expression try the same characters again if it can. */
const parts = [
  ...`< > = " ' / \\ - _ . : ; , ? % @ # * a 0 é ( [ {`.split(' '),
  ...`<a x< <a=" <a=' a. a' a@a. <!-- charset=`.split(' '),
  ' ',
  '\t',
  '\n',
  '\u2028',
  'a ',
  'no ',
  'not ',
  'Status: ',
  ' Did you mean a',
  'Domain: a ',
];

const errorOptions = { allowIntrospection: false, docsUrl: () => '', log: createLog('silent') };
const das = dasServiceOf('eu');
const whois = compileFormat({
  available: [['{text}no match for {name}']],
  registered: [['Domain: {name}', 'Status: {text}']],
  refusals: ['{text}limit{text}'],
});

/** Servers with nested placeholders: `Name(URL)`, `Name ( URL )`, two texts in a line, one alone. */
const records = ['kr', 'at', 'il', 'tr'].flatMap((tld) => {
  const record = whoisServiceOf(tld)?.format.record;
  return record ? [new RecordReader(record)] : [];
});

/** What reads texts of sites, registries and callers. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the charset of a page': (text) => decodeHtml(Buffer.from(text, 'latin1'), undefined),
  'the charset of a header': (text) => decodeHtml(Buffer.from(''), `charset=${text}`),
  'a robots.txt': (text) => parseRobots(`User-agent: *\nContent-Signal: ${text}`),
  'a text with e-mail addresses': (text) => withoutEmailAddresses(text),
  'the text of a 404': (text) => classifyNotFoundText({ title: `no ${text}\0` }, name),
  'the text of another error': (text) => refusesLookup({ title: `no ${text}\0` }),
  'a reply of an availability service': (text) =>
    das && hasLastLine(das, `Status: ${text.slice(0, 4096)}\u2028\n`),
  'a WHOIS reply': (text) =>
    readReply(whois, name, text.replaceAll(/.{900}/gsu, '$&\u2028\nStatus: ')),
  'a WHOIS registration': (text) =>
    records.map((record) => record.read(name, text.replaceAll(/.{290}/gsu, '$&\n'))),
  'a status': (text) => normalizeStatus(`A${text}!`),
  'the statuses of an object': (text) => readStatuses(`${text}!`),
  'an address': (text) => normalizeAddress(`${text}\n`),
  'a query': (text) => detectObjectType(`0${text}!`),
  'a list of headers': (text) => joinVary('Accept', `${text}!`),
  'a GraphQL error': (text) =>
    renderError(new GraphQLError(`${text}!`), { requestId: '', path: '' }, errorOptions),
};

it.each(Object.entries(readers))(
  'a hostile text of 64 KiB is read in linear time as %s',
  (_what, read) => {
    const slow = parts.filter((part) => {
      const text = part.repeat(size / part.length);
      const startedAt = performance.now();
      read(text);
      // Linear time is a few milliseconds, quadratic time seconds.
      return performance.now() - startedAt > 500;
    });
    expect(slow).toEqual([]);
  },
);
