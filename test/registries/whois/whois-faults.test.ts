// cspell:disable (texts of servers)
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import type { Source } from '../../../src/domain/source.ts';
import { whoisServiceOf, type WhoisService } from '../../../src/registries/whois/whois-format.ts';
import { whoisSource } from '../../../src/registries/whois/whois-source.ts';
import type { TcpOptions } from '../../../src/registries/whois/tcp-source.ts';
import {
  startFakeDas as startServer,
  type DasScript,
} from '../../support/servers/fake-das-server.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { whoisReplies } from '../../support/bodies/whois-replies.ts';

const { at, it: itReplies, my, ru } = whoisReplies;

/** What the source makes of a reply: a verdict, or the problem with the kind of failure. */
type Outcome = string;
type Script = string | Buffer | DasScript;
type Fault = readonly [title: string, name: string, reply: Script, Outcome];

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

const verdicts: readonly Fault[] = [
  ['a "not found"', 'name.at', at.notFound, 'AVAILABLE'],
  ['a "not found"', 'name.ru', ru.notFound, 'AVAILABLE'],
  ['a "not found" with the name', 'name.my', my.notFound('name.my'), 'AVAILABLE'],
  ['a status', 'name.it', itReplies.status('name.it', 'AVAILABLE'), 'AVAILABLE'],
  ['a "not found" of two lines', 'name.co.za', zaNotFound, 'AVAILABLE'],
  ['a "not found" of three lines', 'name.pk', pk('Yes.'), 'AVAILABLE'],
  [
    'a "not found" without quotation marks',
    'name.com.tr',
    'No match found for name.com.tr\n',
    'AVAILABLE',
  ],
  ['a quoted name', 'name.ge', 'No match for "NAME.GE".\n', 'AVAILABLE'],
  ['an object', 'name.at', at.registered('name.at'), 'REGISTERED'],
  ['an object in upper case', 'name.ru', ru.registered('name.ru'), 'REGISTERED'],
  ['an object', 'name.my', my.registered('name.my'), 'REGISTERED'],
  ['an object', 'name.it', itReplies.registered('name.it'), 'REGISTERED'],
  ['an object', 'name.cl', cl('name.cl', 'X'), 'REGISTERED'],
  [
    'a name in a comment',
    'name.cl',
    'Registrar name: X\n%% See https://www.nic.cl/registry/Whois.do?d=name.cl\n',
    'REGISTERED',
  ],
  ['an active name', 'name.jp', jp('name.jp', 'Active'), 'REGISTERED'],
  ['an expired name', 'name.jp', jp('name.jp', 'Suspended (2026/11/30)'), 'REGISTERED'],
  ['an expired name', 'name.jp', jp('name.jp', 'To be suspended'), 'REGISTERED'],
  ['a deleted name', 'name.jp', jp('name.jp', 'Deleted'), 'REGISTERED'],
  [
    'the form of 2021',
    'name.ge',
    '   Domain Name: NAME.GE\nCreation Date: 2006-07-28\n',
    'REGISTERED',
  ],
  ['a reserved name', 'name.jp', jp('name.jp', 'Reserved'), 'RESERVED'],
  ['a reserved name', 'name.it', itReplies.status('name.it', 'UNASSIGNABLE'), 'RESERVED'],
  [
    'a deleted name',
    'name.it',
    itReplies.registered('name.it', 'pendingDelete / redemptionPeriod'),
    'REDEMPTION',
  ],
  [
    'a deleted name',
    'name.it',
    itReplies.registered('name.it', 'pendingDelete / pendingDelete'),
    'PENDING_DELETE',
  ],
  ['a reserved name without the name', 'name.cn', cnReserved, 'RESERVED, may be registered'],
  ['CRLF', 'name.at', at.registered('name.at').replaceAll('\n', '\r\n'), 'REGISTERED'],
  ['CR', 'name.ru', ru.notFound.replaceAll('\n', '\r'), 'AVAILABLE'],
  ['no line end', 'name.at', at.notFound.trim(), 'AVAILABLE'],
  ['trailing spaces and tabs', 'name.at', '% nothing found \t \n', 'AVAILABLE'],
  ['another case', 'name.at', at.notFound.toUpperCase(), 'AVAILABLE'],
  ['a byte order mark', 'name.at', `\ufeff${at.notFound}`, 'AVAILABLE'],
  ['an A-label', 'xn--bcher-kva.at', at.registered('xn--bcher-kva.at'), 'REGISTERED'],
  ['a U-label', 'xn--bcher-kva.at', at.registered('bücher.at'), 'REGISTERED'],
  ['a U-label in Latin-1', 'xn--bcher-kva.at', latin1(at.registered('bücher.at')), 'REGISTERED'],
  [
    'Latin-1 in an address',
    'name.at',
    latin1(`${at.registered('name.at')}street: Café\n`),
    'REGISTERED',
  ],
  ['UTF-8 in one byte per chunk', 'name.kr', bytewise(Buffer.from(krNotFound)), 'AVAILABLE'],
  [
    'UTF-8 in one byte per chunk',
    'xn--bcher-kva.at',
    bytewise(Buffer.from(at.registered('bücher.at'))),
    'REGISTERED',
  ],
  [
    'Latin-1 in one byte per chunk',
    'xn--bcher-kva.at',
    bytewise(latin1(at.registered('bücher.at'))),
    'REGISTERED',
  ],
  [
    '"not found" in a comment',
    'name.ru',
    `% No entries found for the selected source(s).\n${ru.registered('name.ru')}`,
    'REGISTERED',
  ],
  [
    '"available" in the terms',
    'name.my',
    `${my.registered('name.my')}% "not found" means available\n`,
    'REGISTERED',
  ],
  [
    '"not found" within a sentence',
    'name.sk',
    `${sk('name.sk')}If you see Domain not found. try again.\n`,
    'REGISTERED',
  ],
  ['an indented "not found"', 'name.sk', `${sk('name.sk')}  Domain not found.\n`, 'REGISTERED'],
  [
    '"registered" in the terms',
    'name.at',
    `% domain: name.at is registered if source: AT-DOM\n${at.notFound}`,
    'AVAILABLE',
  ],
  [
    'a referral',
    'name.my',
    `${my.registered('name.my')}Registrar WHOIS Server: 127.0.0.1\n`,
    'REGISTERED',
  ],
  ['64 KiB', 'name.at', at.notFound.padEnd(64 * 1024, '\n'), 'AVAILABLE'],
  ['the variants of a name', 'xn--6qq79v.xn--fiqs8s', variants, 'REGISTERED'],
  ['the variants of a name', 'xn--6qq79v.xn--fiqz9s', variants, 'REGISTERED'],
  [
    'indented lines',
    'name.pk',
    '\n    Domain: name.pk\n    Status: Domain is Registered\n',
    'REGISTERED',
  ],
  ['an indented "not found"', 'name.pk', `\n${pk('Yes.').replaceAll(/^/gm, '    ')}`, 'AVAILABLE'],
];

const unclear = 'whois_unclear';
const timeout = 'registry_timeout, timeout';
const disconnected = 'registry_error, down';
const failures: readonly Fault[] = [
  ['both forms', 'name.at', `${at.notFound}${at.registered('name.at')}`, unclear],
  [
    'the "not found" in the terms',
    'name.ru',
    `${ru.registered('name.ru')}\n${ru.notFound}`,
    unclear,
  ],
  ['the "not found" and the name', 'name.ru', `domain: NAME.RU\n${ru.notFound}`, unclear],
  ['a "not found" about another name', 'name.my', my.notFound('other.my'), unclear],
  [
    'a "not found" about two names',
    'name.my',
    `${my.notFound('other.my')}${my.notFound('name.my')}`,
    unclear,
  ],
  [
    'a "not found" and another object',
    'name.at',
    `${at.registered('other.at')}${at.notFound}`,
    unclear,
  ],
  ['another object', 'name.at', at.registered('other.at'), unclear],
  ['two objects', 'name.at', `${at.registered('name.at')}${at.registered('other.at')}`, unclear],
  ['the object of a longer name', 'name.at', at.registered('www.name.at'), unclear],
  ['the object of a shorter name', 'name.at', at.registered('name'), unclear],
  [
    'a name in 11 spellings',
    'name.at',
    `${at.registered('name.at')}${spellings('name.at', 11)}`,
    unclear,
  ],
  ['no marker', 'name.at', 'domain: name.at\n', unclear],
  ['a blank field', 'name.cl', cl('name.cl', ' '), unclear],
  ['another status', 'name.it', itReplies.status('name.it', 'AVAILABLE SOON'), unclear],
  ['a status without its name', 'name.it', 'Status: AVAILABLE\n', unclear],
  [
    'two statuses',
    'name.it',
    `${itReplies.status('name.it', 'AVAILABLE')}Status: RESERVED\n`,
    unclear,
  ],
  ['a reserved name and a "not found"', 'name.cn', `${cnReserved}No matching record.\n`, unclear],
  ['one line of two', 'name.co.za', 'Available\n', unclear],
  ['two lines of three', 'name.pk', pk('No.'), unclear],
  ['a "not found" in a comment only', 'name.ru', `% ${ru.notFound}`, unclear],
  ['a "not found" within a sentence', 'name.sk', 'Domain not found. Try again.\n', unclear],
  [
    'a "not found" in a line of 1,001 characters',
    'name.sk',
    `Domain not found.${' '.repeat(984)}`,
    unclear,
  ],
  ['a "not found" among 1,001 lines', 'name.at', `${at.notFound}${manyLines(1000)}`, unclear],
  ['an end within the "not found"', 'name.at', at.notFound.slice(0, -3), unclear],
  ['an end within the object', 'name.at', at.registered('name.at').slice(0, -3), unclear],
  ['an end within the name', 'name.my', 'Domain Name: name.m', unclear],
  ['a referral', 'name.at', 'refer: 127.0.0.1\nRegistrar WHOIS Server: 127.0.0.1\n', unclear],
  ['an unknown text', 'name.at', 'Hello.\n', unclear],
  ['blank lines', 'name.at', '\r\n \r\n', unclear],
  ['HTML', 'name.at', '<html><body>% nothing found</body></html>\n', unclear],
  ['an HTTP reply', 'name.at', 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', unclear],
  ['random bytes', 'name.at', Buffer.from([0, 255, 128, 10, 195, 40, 10]), unclear],
  ['UTF-16', 'name.at', Buffer.from(at.notFound, 'utf16le'), unclear],
  ['more than 64 KiB', 'name.at', at.notFound.padEnd(64 * 1024 + 1, '\n'), unclear],
  ['an endless line', 'name.at', open('x'.repeat(65 * 1024)), unclear],
  ...superseded(),
  ['the variants of another name', 'xn--bcher-kva.xn--fiqs8s', variants, unclear],
  ['no bytes', 'name.at', '', disconnected],
  ['a reset', 'name.at', reset(''), disconnected],
  ['a reset within the text', 'name.at', reset(at.notFound.slice(0, 5)), disconnected],
  ['a reset after the text', 'name.at', reset(at.notFound), disconnected],
  ['silence', 'name.at', open(''), timeout],
  ['a text that never ends', 'name.at', open(at.notFound), timeout],
  ['a drip that never ends', 'name.at', drip(at.notFound), timeout],
];

const busy = 'registry_busy after 900 s, busy';
const blocked = 'registry_error after 900 s, busy';
const failed = 'registry_error after 60 s, busy';
/** A text for each general refusal, and for those of single servers. */
const refusals: readonly (readonly [text: string, Outcome, name?: string, notFound?: string])[] = [
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
  it.each(verdicts)('with %s (%s) gives its verdict', async (_title, name, reply, outcome) => {
    expect(await outcomeOf(name, reply)).toBe(outcome);
  });

  it.each(failures)('with %s (%s) gives UNKNOWN', async (_title, name, reply, outcome) => {
    const timeoutMs = outcome === timeout ? 300 : undefined;
    expect(await outcomeOf(name, reply, timeoutMs)).toBe(outcome);
  });

  it.each(refusals)(
    'with "%s" is a refusal, even with a "not found"',
    async (text, outcome, name = 'name.ru', notFound = ru.notFound) => {
      expect(await outcomeOf(name, `${text}\n`)).toBe(outcome);
      expect(await outcomeOf(name, notFound)).toBe('AVAILABLE');
      expect(await outcomeOf(name, `${text}\n${notFound}`)).toBe(outcome);
    },
  );

  it.fails.each([
    ['name.at', at.notFound, unclear],
    ['name.my', my.notFound('other.my'), 'AVAILABLE'],
    ['name.ru', `${ru.registered('name.ru')}\n${ru.notFound}`, 'REGISTERED'],
    ['name.ru', 'Quota exceeded\n', unclear],
  ])('about %s shows that a row of these tables can fail', async (name, reply, outcome) => {
    expect(await outcomeOf(name, reply)).toBe(outcome);
  });

  it('is not a refusal if the text is in a field of a registration', async () => {
    const street = `${itReplies.registered('name.it')}  Address: Too many\n           Quota exceeded\n`;
    expect(await outcomeOf('name.it', street)).toBe(unclear);
  });

  it('with a referral causes no other query', async () => {
    await using server = await startServer(
      (_query, socket) =>
        `refer: 127.0.0.1:${socket.localPort}\nRegistrar WHOIS Server: 127.0.0.1:${socket.localPort}\n`,
    );
    const source = sourceOf('name.at', server);
    expect(describeAnswer(await lookUp(source, 'name.at'))).toBe(unclear);
    expect(server.queries).toEqual(['name.at\r\n']);
  });
});

describe('the back-off after a refusal', () => {
  it('doubles from 15 to 60 minutes, and starts again after a reply', async () => {
    await using server = await startServer(() => 'Quota exceeded\n');
    const source = sourceOf('name.at', server);
    const next = async () => describeAnswer(await lookUp(source, 'name.at'));
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
});

describe('a WHOIS server without a usable address', () => {
  it('gives registry_error if it refuses connections', async () => {
    const source = sourceOf('name.at', { host: '127.0.0.1', port: await freePort() });
    expect(describeAnswer(await lookUp(source, 'name.at'))).toBe('registry_error, down');
  });

  it('gives registry_error if its host cannot be resolved', async () => {
    const source = sourceOf(
      'name.at',
      { host: 'whois.invalid', port: 43 },
      { resolve: (_host, _options, callback) => callback(new Error('not found'), []) },
    );
    expect(describeAnswer(await lookUp(source, 'name.at'))).toBe('registry_error, down');
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
      expect(describeAnswer(await lookUp(source, 'name.at'))).toBe('registry_error');
      expect(server.connections).toBe(0);
    },
  );
});

const options: TcpOptions = { clock: systemClock, timeoutMs: 5000, allowPrivate: true };

async function outcomeOf(name: string, reply: Script, timeoutMs = 5000): Promise<Outcome> {
  await using server = await startServer(typeof reply === 'function' ? reply : () => reply);
  return describeAnswer(await lookUp(sourceOf(name, server, { timeoutMs }), name));
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

function lookUp(source: Source, name: string): Promise<Answer> {
  return source.lookup(
    { name: splitName(parseDomainName(name)), detail: 'verdict' },
    {
      signal: new AbortController().signal,
      queueDeadline: Infinity,
      account: 'alice',
      priority: 'single',
    },
  );
}

function describeAnswer({ data, problem, provenance }: Answer): Outcome {
  if (!problem) return `${data?.verdict}${provenance.mayBeRegistered ? ', may be registered' : ''}`;
  const after = problem.retryAfter === undefined ? '' : ` after ${problem.retryAfter} s`;
  return `${problem.code}${after}${provenance.failure ? `, ${provenance.failure}` : ''}`;
}

/** "Not found" texts that servers no longer send. */
function superseded(): readonly Fault[] {
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['name.pt', 'name.pt no match'],
    ['name.kr', 'Above domain name is not registered to KRNIC.'],
    ['name.hu', 'Nincs találat / No match'],
    ['name.my', 'Domain Name [name.my] does not exist in database'],
    ['name.nz', 'query_status: 220 Available'],
    ['name.cl', 'name.cl: no existe'],
    ['name.sk', 'Not found.'],
    [
      'name.ie',
      '% Not Registered - The domain you have requested (name.ie) is not a registered .ie domain name.',
    ],
    ['name.sa', 'No Match for name.sa'],
  ];
  return texts.map(([name, text]) => ['an old text', name, `${text}\n`, unclear]);
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

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Sends a text and keeps the connection open. */
function open(text: string): DasScript {
  return (_query, socket) => void socket.write(text);
}

/** Sends one byte at a time and closes the connection. */
function bytewise(bytes: Buffer): DasScript {
  return (_query, socket) => send(socket, bytes, () => socket.end());
}

/** Sends one byte at a time and keeps the connection open. */
function drip(text: string): DasScript {
  return (_query, socket) => send(socket, Buffer.from(text), () => {});
}

function send(socket: Socket, bytes: Buffer, done: () => void): undefined {
  if (socket.destroyed) return;
  if (bytes.length === 0) return done() as undefined;
  socket
    .setNoDelay()
    .write(bytes.subarray(0, 1), () => setImmediate(send, socket, bytes.subarray(1), done));
}

/** Sends a text and resets the connection once the client has it. */
function reset(text: string): DasScript {
  return (_query, socket) => {
    if (text === '') return void socket.resetAndDestroy();
    socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
    return undefined;
  };
}
