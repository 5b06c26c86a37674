// cspell:disable (texts of servers)
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Source } from '../../../src/domain/source.ts';
import { whoisServiceOf, type WhoisService } from '../../../src/registries/whois/whois-format.ts';
import { whoisSource } from '../../../src/registries/whois/whois-source.ts';
import type { TcpOptions } from '../../../src/registries/whois/tcp-source.ts';
import { startFakeDas as startServer } from '../../support/servers/fake-das-server.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { whoisReplies } from '../../support/bodies/whois-replies.ts';
import {
  inSingleBytes,
  drip,
  latin1,
  open,
  outcomeOf,
  reset,
  rowsOf,
  type Replies,
  type Reply,
} from './tcp-replies.ts';

const { at, it: itReplies, my, ru } = whoisReplies;

const jp = (name: string, status: string) =>
  `[Domain Name]                   ${name.toUpperCase()}\n[Status]                        ${status}\n`;
const cnReserved = 'the domain you want to register is reserved.\n';
const krNotFound = `The requested domain was not found in the Registry or Registrar’s WHOIS Server.\n`;
const zaNotFound = 'Available\n-------\nNo information was found matching that query.\n';
const cl = (name: string, registrar: string) =>
  `Domain name: ${name}\nRegistrant name: X\nRegistrar name: ${registrar}\n`;
const sk = (name: string) => `Domain:        ${name}\nValid Until:   2027-01-01\n`;
const pk = (available: string) =>
  `Domain: name.pk\nStatus: Not Registered, and may be available if valid\nAvailable: ${available}\n`;
/** The names of one registration, in U-labels and A-labels. */
const variants = [
  'Domain Name: 你好.中国',
  'Puny Name: xn--6qq79v.xn--fiqs8s',
  'Domain Name: 你好.中國',
  'Puny Name: xn--6qq79v.xn--fiqz9s',
  'ROID: 20190311s10001s00033999-cn\n',
].join('\n');

const verdicts: Replies = {
  AVAILABLE: {
    'name.at: a "not found"': at.notFound,
    'name.ru: a "not found"': ru.notFound,
    'name.my: a "not found" with the name': my.notFound('name.my'),
    'name.it: a status': itReplies.status('name.it', 'AVAILABLE'),
    'name.co.za: a "not found" of two lines': zaNotFound,
    'name.pk: a "not found" of three lines': pk('Yes.'),
    'name.com.tr: a "not found" without quotation marks': 'No match found for name.com.tr\n',
    'name.ge: a quoted name': 'No match for "NAME.GE".\n',
    'name.ru: CR': ru.notFound.replaceAll('\n', '\r'),
    'name.at: no line end': at.notFound.trim(),
    'name.at: trailing spaces and tabs': '% nothing found \t \n',
    'name.at: another case': at.notFound.toUpperCase(),
    'name.at: a byte order mark': `\ufeff${at.notFound}`,
    'name.kr: UTF-8 in one byte per chunk': inSingleBytes(Buffer.from(krNotFound)),
    'name.at: "registered" in the terms': `% domain: name.at is registered if source: AT-DOM\n${at.notFound}`,
    'name.at: 64 KiB': at.notFound.padEnd(64 * 1024, '\n'),
    'name.pk: an indented "not found"': `\n${pk('Yes.').replaceAll(/^/gm, '    ')}`,
  },
  REGISTERED: {
    'name.at: an object': at.registered('name.at'),
    'name.ru: an object in upper case': ru.registered('name.ru'),
    'name.my: an object': my.registered('name.my'),
    'name.it: an object': itReplies.registered('name.it'),
    'name.cl: an object': cl('name.cl', 'X'),
    'name.cl: a name in a comment':
      'Registrar name: X\n%% See https://www.nic.cl/registry/Whois.do?d=name.cl\n',
    'name.jp: an active name': jp('name.jp', 'Active'),
    'name.jp: an expired name': jp('name.jp', 'Suspended (2026/11/30)'),
    'name.jp: an expiring name': jp('name.jp', 'To be suspended'),
    'name.jp: a deleted name': jp('name.jp', 'Deleted'),
    'name.ge: the form of 2021': '   Domain Name: NAME.GE\nCreation Date: 2006-07-28\n',
    'name.at: CRLF': at.registered('name.at').replaceAll('\n', '\r\n'),
    'xn--bcher-kva.at: an A-label': at.registered('xn--bcher-kva.at'),
    'xn--bcher-kva.at: a U-label': at.registered('bücher.at'),
    'xn--bcher-kva.at: a U-label in Latin-1': latin1(at.registered('bücher.at')),
    'name.at: Latin-1 in an address': latin1(`${at.registered('name.at')}street: Café\n`),
    'xn--bcher-kva.at: UTF-8 in one byte per chunk': inSingleBytes(
      Buffer.from(at.registered('bücher.at')),
    ),
    'xn--bcher-kva.at: Latin-1 in one byte per chunk': inSingleBytes(
      latin1(at.registered('bücher.at')),
    ),
    'name.ru: "not found" in a comment': `% No entries found for the selected source(s).\n${ru.registered('name.ru')}`,
    'name.my: "available" in the terms': `${my.registered('name.my')}% "not found" means available\n`,
    'name.sk: "not found" within a sentence': `${sk('name.sk')}If you see Domain not found. try again.\n`,
    'name.sk: an indented "not found"': `${sk('name.sk')}  Domain not found.\n`,
    'name.my: a referral': `${my.registered('name.my')}Registrar WHOIS Server: 127.0.0.1\n`,
    'xn--6qq79v.xn--fiqs8s: the variants of a name': variants,
    'xn--6qq79v.xn--fiqz9s: the variants of a name': variants,
    'name.pk: indented lines': '\n    Domain: name.pk\n    Status: Domain is Registered\n',
  },
  RESERVED: {
    'name.jp: a reserved name': jp('name.jp', 'Reserved'),
    'name.it: a reserved name': itReplies.status('name.it', 'UNASSIGNABLE'),
  },
  REDEMPTION: {
    'name.it: a deleted name': itReplies.registered('name.it', 'pendingDelete / redemptionPeriod'),
  },
  PENDING_DELETE: {
    'name.it: a deleted name': itReplies.registered('name.it', 'pendingDelete / pendingDelete'),
  },
  'RESERVED, may be registered': { 'name.cn: a reserved name without the name': cnReserved },
};

/** "Not found" texts that servers no longer send. */
const superseded = {
  'name.pt: an old text': 'name.pt no match\n',
  'name.kr: an old text': 'Above domain name is not registered to KRNIC.\n',
  'name.hu: an old text': 'Nincs találat / No match\n',
  'name.my: an old text': 'Domain Name [name.my] does not exist in database\n',
  'name.nz: an old text': 'query_status: 220 Available\n',
  'name.cl: an old text': 'name.cl: no existe\n',
  'name.sk: an old text': 'Not found.\n',
  'name.ie: an old text':
    '% Not Registered - The domain you have requested (name.ie) is not a registered .ie domain name.\n',
  'name.sa: an old text': 'No Match for name.sa\n',
};

const unclear = 'whois_unclear';
const timeout = 'registry_timeout, timeout';
const disconnected = 'registry_error, down';
const failures: Replies = {
  [unclear]: {
    'name.at: both forms': `${at.notFound}${at.registered('name.at')}`,
    'name.ru: the "not found" in the terms': `${ru.registered('name.ru')}\n${ru.notFound}`,
    'name.ru: the "not found" and the name': `domain: NAME.RU\n${ru.notFound}`,
    'name.my: a "not found" about another name': my.notFound('other.my'),
    'name.my: a "not found" about two names': `${my.notFound('other.my')}${my.notFound('name.my')}`,
    'name.at: a "not found" and another object': `${at.registered('other.at')}${at.notFound}`,
    'name.at: another object': at.registered('other.at'),
    'name.at: two objects': `${at.registered('name.at')}${at.registered('other.at')}`,
    'name.at: the object of a longer name': at.registered('www.name.at'),
    'name.at: the object of a shorter name': at.registered('name'),
    'name.at: a name in 11 spellings': `${at.registered('name.at')}${spellings('name.at', 11)}`,
    'name.at: no marker': 'domain: name.at\n',
    'name.cl: a blank field': cl('name.cl', ' '),
    'name.it: another status': itReplies.status('name.it', 'AVAILABLE SOON'),
    'name.it: a status without its name': 'Status: AVAILABLE\n',
    'name.it: two statuses': `${itReplies.status('name.it', 'AVAILABLE')}Status: RESERVED\n`,
    'name.cn: a reserved name and a "not found"': `${cnReserved}No matching record.\n`,
    'name.co.za: one line of two': 'Available\n',
    'name.pk: two lines of three': pk('No.'),
    'name.ru: a "not found" in a comment only': `% ${ru.notFound}`,
    'name.sk: a "not found" within a sentence': 'Domain not found. Try again.\n',
    'name.sk: a "not found" in a line of 1,001 characters': `Domain not found.${' '.repeat(984)}`,
    'name.at: a "not found" among 1,001 lines': `${at.notFound}${manyLines(1000)}`,
    'name.at: an end within the "not found"': at.notFound.slice(0, -3),
    'name.at: an end within the object': at.registered('name.at').slice(0, -3),
    'name.my: an end within the name': 'Domain Name: name.m',
    'name.at: a referral': 'refer: 127.0.0.1\nRegistrar WHOIS Server: 127.0.0.1\n',
    'name.at: an unknown text': 'Hello.\n',
    'name.at: blank lines': '\r\n \r\n',
    'name.at: HTML': '<html><body>% nothing found</body></html>\n',
    'name.at: an HTTP reply': 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
    'name.at: random bytes': Buffer.from([0, 255, 128, 10, 195, 40, 10]),
    'name.at: UTF-16': Buffer.from(at.notFound, 'utf16le'),
    'name.at: more than 64 KiB': at.notFound.padEnd(64 * 1024 + 1, '\n'),
    'name.at: an endless line': open('x'.repeat(65 * 1024)),
    'xn--bcher-kva.xn--fiqs8s: the variants of another name': variants,
    ...superseded,
  },

  [disconnected]: {
    'name.at: no bytes': '',
    'name.at: a reset': reset(''),
    'name.at: a reset within the text': reset(at.notFound.slice(0, 5)),
    'name.at: a reset after the text': reset(at.notFound),
  },
  [timeout]: {
    'name.at: silence': open(''),
    'name.at: a text that never ends': open(at.notFound),
    'name.at: a drip that never ends': drip(at.notFound),
  },
};

const busy = 'registry_busy after 900 s, busy';
const blocked = 'registry_error after 900 s, busy';
const failed = 'registry_error after 60 s, busy';
/** A text for each general refusal, and for those of single servers. */
const refusals: readonly (readonly [
  text: string,
  outcome: string,
  name?: string,
  notFound?: string,
])[] = [
  ['% WHOIS query rate limit exceeded for this address', busy],
  ['Limit exceeded', busy],
  ['Daily whois limit exceeded.', busy],
  ['% request limit exceeded', busy],
  ['Your connection limit exceeded. Please slow down and try again later.', busy],
  ['# Lookup quota exceeded', busy],
  ['You have exceeded your quota', busy],
  ['% Quota exceeded', busy],
  ['# Too many connections.', busy],
  ['Too may requests', busy],
  ['% Excessive querying, grace period of 600 seconds', busy],
  ['-95: Still in grace period', busy],
  ['%% Maximum query rate reached', busy],
  ['The access control limit reached for your address', busy],
  ['The number of queries has been exceeded', busy],
  ['Your daily whois-limit exceeded', busy],
  ['Sorry, only 1 request per second allowed', busy],
  ['Please go away for 30 Seconds', busy],
  ['-96: IP address blocked', blocked],
  ['Requests of this client are not permitted. Please use the web', blocked],
  ['Access will only be enabled for  IP addresses\n authorised by us', blocked],
  ['TLD is not supported.', unclear],
  ['Tld not supported by this registry interface', unclear],
  ['% Invalid query', unclear],
  ['Error: 501 malformed request', unclear],
  ['Syntax error', unclear],
  ['Service temporarily unavailable', failed],
  ['Sorry, the Whois database is currently down', failed],
  ['Your request could not be performed', unclear],
  ['Queried interval is too short. Please retry later.', busy, 'name.cn', 'No matching record.'],
  ['You have exceeded allowed connection rate.', busy, 'name.ru'],
  ['You are not allowed to connect', busy, 'name.ru'],
  ['Invalid input', unclear, 'name.com.tr', 'No match found for name.com.tr'],
  ['Query limitation is 500 per day', busy, 'name.my', my.notFound('name.my')],
  ['query_status: 440 Request Denied', busy, 'name.nz', 'Not found: name.nz'],
  [
    '%% Access to whois service at whois.isoc.org.il was **DENIED** from your address',
    busy,
    'name.co.il',
    '% No data was found to match the request criteria.',
  ],
];

describe('the reply of a WHOIS server', () => {
  it.each(rowsOf(verdicts))('$title gives its verdict', async ({ name, reply, outcome }) => {
    expect(await outcomeAfter(name, reply)).toBe(outcome);
  });

  it.each(rowsOf(failures))('$title gives UNKNOWN', async ({ name, reply, outcome }) => {
    const timeoutMs = outcome === timeout ? 300 : undefined;
    expect(await outcomeAfter(name, reply, timeoutMs)).toBe(outcome);
  });

  it.each(refusals)(
    'with "%s" is a refusal, even with a "not found"',
    async (text, outcome, name = 'name.ru', notFound = ru.notFound) => {
      expect(await outcomeAfter(name, `${text}\n`)).toBe(outcome);
      expect(await outcomeAfter(name, notFound)).toBe('AVAILABLE');
      expect(await outcomeAfter(name, `${text}\n${notFound}`)).toBe(outcome);
    },
  );

  it.fails.each([
    ['name.at', at.notFound, unclear],
    ['name.my', my.notFound('other.my'), 'AVAILABLE'],
    ['name.ru', `${ru.registered('name.ru')}\n${ru.notFound}`, 'REGISTERED'],
    ['name.ru', 'Quota exceeded\n', unclear],
  ])('about %s shows that a row of these tables can fail', async (name, reply, outcome) => {
    expect(await outcomeAfter(name, reply)).toBe(outcome);
  });

  it('is not a refusal if the text is in a field of a registration', async () => {
    const street = `${itReplies.registered('name.it')}  Address: Too many\n           Quota exceeded\n`;
    expect(await outcomeAfter('name.it', street)).toBe(unclear);
  });

  it('with a referral causes no other query', async () => {
    await using server = await startServer(
      (_query, socket) =>
        `refer: 127.0.0.1:${socket.localPort}\nRegistrar WHOIS Server: 127.0.0.1:${socket.localPort}\n`,
    );
    const source = sourceOf('name.at', server);
    expect(await outcomeOf(source, 'name.at')).toBe(unclear);
    expect(server.queries).toEqual(['name.at\r\n']);
  });
});

it('the back-off after a refusal doubles from 15 to 60 minutes, and starts again after a reply', async () => {
  await using server = await startServer(() => 'Quota exceeded\n');
  const source = sourceOf('name.at', server);
  const next = async () => await outcomeOf(source, 'name.at');
  const seconds = [900, 1800, 3600, 3600];
  for (const each of seconds) expect(await next()).toBe(`registry_busy after ${each} s, busy`);
  server.use(() => 'Service temporarily unavailable\n');
  expect(await next()).toBe(failed);
  server.use(() => 'Quota exceeded\n');
  expect(await next()).toBe('registry_busy after 3600 s, busy');
  server.use(() => at.notFound);
  expect(await next()).toBe('AVAILABLE');
  server.use(() => 'Quota exceeded\n');
  expect(await next()).toBe(busy);
});

describe('a WHOIS server without a usable address', () => {
  it('gives registry_error if it refuses connections', async () => {
    const source = sourceOf('name.at', { host: '127.0.0.1', port: await freePort() });
    expect(await outcomeOf(source, 'name.at')).toBe('registry_error, down');
  });

  it('gives registry_error if its host cannot be resolved', async () => {
    const source = sourceOf(
      'name.at',
      { host: 'whois.invalid', port: 43 },
      { resolve: (_host, _options, callback) => callback(new Error('not found'), []) },
    );
    expect(await outcomeOf(source, 'name.at')).toBe('registry_error, down');
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', 'fe80::1'])(
    'is not connected to if the host of the registry has the address %s',
    async (address) => {
      await using server = await startServer(() => at.notFound);
      const source = whoisSource({ ...serviceOf('name.at'), port: server.port }, undefined, {
        ...options,
        resolve: (_host, _options, callback) =>
          callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]),
      });
      expect(await outcomeOf(source, 'name.at')).toBe('registry_error');
      expect(server.connections).toBe(0);
    },
  );
});

const options: TcpOptions = { clock: systemClock, timeoutMs: 5000, allowPrivate: true };

async function outcomeAfter(name: string, reply: Reply, timeoutMs = 5000): Promise<string> {
  await using server = await startServer(typeof reply === 'function' ? reply : () => reply);
  return await outcomeOf(sourceOf(name, server, { timeoutMs }), name);
}

function sourceOf(
  name: string,
  server: { readonly host: string; readonly port: number },
  changes: Partial<TcpOptions> = {},
): Source {
  return whoisSource(serviceOf(name), server, { ...options, ...changes });
}

function serviceOf(name: string): WhoisService {
  const service = whoisServiceOf(name.slice(name.lastIndexOf('.') + 1));
  if (!service) throw new Error(`${name} has no WHOIS server`);
  return service;
}

/** Returns lines with a name in up to 16 spellings. */
function spellings(name: string, count: number): string {
  const letters = Array.from(name);
  return Array.from({ length: count }, (_, bits) => {
    const spelling = letters.map((letter, index) =>
      index < 4 && (bits >> index) % 2 === 1 ? letter.toUpperCase() : letter,
    );
    return `domain: ${spelling.join('')}\n`;
  }).join('');
}

function manyLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `% ${index}\n`).join('');
}
