import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import { dasServiceOf } from '../../../src/registries/whois/das-services.ts';
import { dasSource } from '../../../src/registries/whois/das-source.ts';
import { dasReplies } from '../../support/bodies/das-replies.ts';
import { startFakeDas, type DasScript } from '../../support/servers/fake-das-server.ts';

const { eu, be, ch, lt } = dasReplies;

/** What the source makes of a reply: a verdict, or the problem with the kind of failure. */
type Outcome = string;
type Fault = readonly [title: string, name: string, reply: string | Buffer | DasScript, Outcome];

const verdicts: readonly Fault[] = [
  ['AVAILABLE', 'name.eu', eu('name', 'AVAILABLE'), 'AVAILABLE'],
  ['FREE', 'name.eu', eu('name', 'FREE'), 'AVAILABLE'],
  ['another case', 'name.eu', eu('NAME', 'Available'), 'AVAILABLE'],
  ['REGISTERED', 'name.eu', eu('name', 'REGISTERED'), 'REGISTERED'],
  ['NOT AVAILABLE', 'name.eu', eu('name.eu', 'NOT AVAILABLE'), 'REGISTERED'],
  ['ON HOLD', 'name.eu', eu('name', 'ON HOLD'), 'REGISTERED'],
  ['OUT OF SERVICE', 'name.eu', eu('name', 'OUT OF SERVICE'), 'REGISTERED'],
  ['RESERVED', 'name.eu', eu('name', 'RESERVED'), 'RESERVED'],
  ['BLOCKED', 'name.eu', eu('name', 'BLOCKED'), 'RESERVED'],
  ['SUSPENDED', 'name.eu', eu('name', 'SUSPENDED'), 'REDEMPTION'],
  ['AVAILABLE', 'name.be', be('name.be', 'AVAILABLE'), 'AVAILABLE'],
  ['RC: 0', 'name.be', 'RC: 0\nDomain: name.be\nStatus: AVAILABLE\n', 'AVAILABLE'],
  ['NOT AVAILABLE', 'name.be', be('name.be', 'NOT AVAILABLE'), 'REGISTERED'],
  ['1', 'name.ch', ch('1'), 'AVAILABLE'],
  ['1 without a line end', 'name.ch', '1: Yes', 'AVAILABLE'],
  ['1 in another language', 'name.li', ch('1', 'Der Name ist frei.'), 'AVAILABLE'],
  ['0', 'name.li', ch('0', 'Not possible.', 'Reason: available'), 'RESERVED, may be registered'],
  ['available', 'name.lt', lt('name.lt', 'available'), 'AVAILABLE'],
  ['CRLF', 'name.lt', lt('name.lt', 'available').replaceAll('\n', '\r\n'), 'AVAILABLE'],
  ...['registered', 'stopped', 'outOfService', 'pendingCreate', 'restrictedDisposal'].map(
    (status): Fault => [status, 'name.lt', lt('name.lt', status), 'REGISTERED'],
  ),
  ['restrictedRights', 'name.lt', lt('name.lt', 'restrictedRights'), 'REGISTERED'],
  ['pendingDelete', 'name.lt', lt('name.lt', 'pendingDelete'), 'REDEMPTION'],
  ['pendingRelease', 'name.lt', lt('name.lt', 'pendingRelease'), 'PENDING_DELETE'],
  ['blocked', 'name.lt', lt('name.lt', 'blocked'), 'RESERVED'],
  ['reserved', 'name.lt', lt('name.lt', 'reserved'), 'RESERVED'],
  ['a drip that ends in time', 'name.eu', drip(eu('name', 'FREE')), 'AVAILABLE'],
  ['a connection that stays open', 'name.be', open(be('name.be', 'AVAILABLE')), 'AVAILABLE'],
  ['a code before an open end', 'name.ch', open(ch('1')), 'AVAILABLE'],
  [
    'Latin-1 in a comment',
    'name.be',
    latin1(`% Café\r\n${be('name.be', 'AVAILABLE')}`),
    'AVAILABLE',
  ],
  ['a U-label', 'xn--bcher-kva.be', be('bücher.be', 'AVAILABLE'), 'AVAILABLE'],
  ['a U-label in Latin-1', 'xn--bcher-kva.be', latin1(be('bücher.be', 'AVAILABLE')), 'AVAILABLE'],
  ['"free" in a comment', 'name.eu', `% free\r\n${eu('name', 'REGISTERED')}`, 'REGISTERED'],
  [
    'a commented status',
    'name.be',
    `% Status: AVAILABLE\r\n${be('name.be', 'NOT AVAILABLE')}`,
    'REGISTERED',
  ],
];

const untrusted = 'untrusted_answer';
const timeout = 'registry_timeout, timeout';
const failures: readonly Fault[] = [
  ['the limit', 'name.be', 'RC: -2\r\n', 'registry_busy after 60 s, busy'],
  [
    'the limit on an open connection',
    'name.be',
    open('RC: -2\r\n'),
    'registry_busy after 60 s, busy',
  ],
  [
    'the limit with a status',
    'name.be',
    be('name.be', 'AVAILABLE', '-2'),
    'registry_busy after 60 s, busy',
  ],
  ['the limit', 'name.ch', ch('-95', 'Wait'), 'registry_busy after 60 s, busy'],
  ['a block', 'name.be', 'RC: -3\r\n', 'registry_error after 3600 s, busy'],
  ['a block', 'name.eu', eu('name', 'AVAILABLE', '-9'), 'registry_error after 3600 s, busy'],
  ['an internal error', 'name.be', 'RC: -1\r\n', 'registry_error, server_error'],
  ['an internal timeout', 'name.eu', '%% RC = -8\r\n', 'registry_error, server_error'],
  ['a temporary error', 'name.ch', ch('-99'), 'registry_error, server_error'],
  ['an invalid version', 'name.eu', eu('name', 'FREE', '-6'), untrusted],
  ['an invalid pattern', 'name.eu', eu('name', 'FREE', '-7'), untrusted],
  ['an invalid enquiry', 'name.ch', ch('-1'), untrusted],
  ['an unknown code', 'name.eu', eu('name', 'FREE', '1'), untrusted],
  ['an unknown code', 'name.be', be('name.be', 'AVAILABLE', '7'), untrusted],
  ['an unknown code', 'name.ch', ch('2', 'available'), untrusted],
  ['no code', 'name.eu', 'Domain: name\r\nStatus: FREE\r\n', untrusted],
  ['two codes', 'name.be', `RC: 0\r\n${be('name.be', 'AVAILABLE')}`, untrusted],
  ['APPLICATION PENDING', 'name.eu', eu('name', 'APPLICATION PENDING'), untrusted],
  ['NOT ALLOWED', 'name.eu', eu('name', 'NOT ALLOWED'), untrusted],
  ['NOT ALLOWED', 'name.be', be('name.be', 'NOT ALLOWED'), untrusted],
  ['an unknown status', 'name.be', be('name.be', 'AVAILABLE SOON'), untrusted],
  ['the name of an object property as status', 'name.lt', lt('name.lt', 'constructor'), untrusted],
  ['two statuses', 'name.lt', lt('name.lt', 'available\nStatus: registered'), untrusted],
  ...['NOT AVAILABLE', 'not  available', 'registered (2)', ''].flatMap((status): Fault[] =>
    ['available', status].map((first, index) => [
      `two statuses: ${first}`,
      'name.lt',
      lt('name.lt', `${first}\nStatus: ${['available', status][1 - index]}`),
      untrusted,
    ]),
  ),
  [
    'an unfinished second status',
    'name.lt',
    `${lt('name.lt', 'available')}Status: NOT AVAILABLE`,
    untrusted,
  ],
  ['a second code', 'name.ch', '1: Yes\r\n0: No\r\n', untrusted],
  ...[
    'Access denied',
    'This name is reserved.',
    '% Too many requests',
    '%% Status: registered',
    '%% RC = two',
    ' Status: registered',
    'Domain: other.lt (variant)',
    'RC = -9',
  ].flatMap((line): Fault[] => [
    [line, 'name.lt', `${line}\n${lt('name.lt', 'available')}`, untrusted],
    [line, 'name.lt', `${lt('name.lt', 'available')}${line}\n`, untrusted],
    [line, 'name.eu', `${line}\r\n${eu('name', 'AVAILABLE')}`, untrusted],
    [line, 'name.be', be(`name.be\r\n${line.replace('RC = -9', '%%RC')}`, 'AVAILABLE'), untrusted],
  ]),
  ['a code of another registry', 'name.lt', `%% RC = 2\n${lt('name.lt', 'available')}`, untrusted],
  ['an empty status', 'name.lt', lt('name.lt', ''), untrusted],
  ['no status', 'name.be', '%% RC=0\r\nDomain: name.be\r\n', untrusted],
  ['another language', 'name.lt', lt('name.lt', 'frei'), untrusted],
  ['other field names', 'name.lt', 'Name: name.lt\nState: available\n', untrusted],
  ['words instead of a code', 'name.ch', 'available\r\n', untrusted],
  ['a code in the second line', 'name.ch', 'Hello\r\n1: Yes\r\n', untrusted],
  ['a code without text', 'name.ch', '1\r\n', untrusted],
  ['another name', 'name.eu', eu('other', 'FREE'), untrusted],
  ['another TLD', 'name.eu', eu('name.be', 'FREE'), untrusted],
  ['another name', 'name.be', be('other.be', 'AVAILABLE'), untrusted],
  ['an incomplete name', 'name.eu', eu('name.', 'FREE'), untrusted],
  ['a name without its TLD', 'name.be', be('name', 'AVAILABLE'), untrusted],
  ['a name without its TLD', 'name.lt', lt('name', 'available'), untrusted],
  ['two names', 'name.lt', `Domain: other.lt\n${lt('name.lt', 'available')}`, untrusted],
  [
    'another A-label',
    'xn--bcher-kva.be',
    be('bücher.be\r\nA-label: xn--caf-dma.be', 'AVAILABLE'),
    untrusted,
  ],
  ['another name', 'name.lt', lt('other.lt', 'available'), untrusted],
  ['no name', 'name.lt', 'Status: available\n', untrusted],
  ['a comment', 'name.be', '% The name is free. Status: AVAILABLE\r\n', untrusted],
  ['HTML', 'name.eu', '<html><body>Status: AVAILABLE</body></html>\n', untrusted],
  ['HTML', 'name.ch', '<html>\n1: free\n</html>\n', untrusted],
  ['an HTTP reply', 'name.lt', 'HTTP/1.1 200 OK\r\n\r\nname.lt: available\n', untrusted],
  ['random bytes', 'name.lt', Buffer.from([0, 255, 128, 10, 195, 40, 10]), untrusted],
  ['an end within the status', 'name.be', be('name.be', 'AVAILABLE').slice(0, -2), untrusted],
  ['an end within the code', 'name.ch', '1', untrusted],
  ['an end half-way', 'name.lt', '% .lt registry\nDomain: name.lt\nSta', untrusted],
  ['4 KiB before the status', 'name.eu', `${'%\r\n'.repeat(1400)}${eu('name', 'FREE')}`, untrusted],
  ['an endless line', 'name.ch', open('x'.repeat(5000)), untrusted],
  ['no bytes', 'name.eu', '', 'registry_error, down'],
  ['a reset', 'name.eu', reset(''), 'registry_error, down'],
  [
    'a reset within the status',
    'name.lt',
    reset(lt('name.lt', 'available').slice(0, -1)),
    'registry_error, down',
  ],
  ['silence', 'name.ch', open(''), timeout],
  ['a code that never ends', 'name.ch', open('1: Yes'), timeout],
  [
    'a status that never ends',
    'name.be',
    open(be('name.be', 'AVAILABLE').slice(0, -1).trimEnd()),
    timeout,
  ],
  ['a drip that never ends', 'name.eu', drip(eu('name', 'FREE').slice(0, -1)), timeout],
];

describe('the reply of an availability service', () => {
  it.each(verdicts)('with %s (%s) gives its verdict', async (_title, name, reply, outcome) => {
    expect(await outcomeOf(name, reply)).toBe(outcome);
  });

  it.each(failures)('with %s (%s) gives UNKNOWN', async (_title, name, reply, outcome) => {
    const timeoutMs = outcome === timeout ? 300 : undefined;
    expect(await outcomeOf(name, reply, timeoutMs)).toBe(outcome);
  });

  it.fails.each([
    ['name.eu', eu('name', 'FREE'), untrusted],
    ['name.lt', lt('other.lt', 'available'), 'AVAILABLE'],
  ])('about %s shows that a row of these tables can fail', async (name, reply, outcome) => {
    expect(await outcomeOf(name, reply)).toBe(outcome);
  });
});

async function outcomeOf(name: string, reply: Fault[2], timeoutMs = 5000): Promise<Outcome> {
  await using server = await startFakeDas(typeof reply === 'function' ? reply : () => reply);
  const service = dasServiceOf(name.slice(-2));
  if (!service) throw new Error(`${name} has no availability service`);
  const options = { clock: systemClock, timeoutMs, allowPrivate: true };
  const source = dasSource(service, server, service.forms[0], options);
  const answer = await source.lookup(
    { name: splitName(parseDomainName(name)), detail: 'verdict' },
    {
      signal: new AbortController().signal,
      queueDeadline: Infinity,
      account: 'alice',
      priority: 'single',
    },
  );
  return describeAnswer(answer);
}

function describeAnswer({ data, problem, provenance }: Answer): Outcome {
  if (!problem) return `${data?.verdict}${provenance.mayBeRegistered ? ', may be registered' : ''}`;
  const after = problem.retryAfter === undefined ? '' : ` after ${problem.retryAfter} s`;
  return `${problem.code}${after}${provenance.failure ? `, ${provenance.failure}` : ''}`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Sends a text and keeps the connection open. */
function open(text: string): DasScript {
  return (_query, socket) => void socket.write(text);
}

/** Sends one byte at a time and keeps the connection open. */
function drip(text: string): DasScript {
  const send = (socket: Socket, at: number) => {
    if (at >= text.length || socket.destroyed) return;
    socket.write(text.slice(at, at + 1), () => setImmediate(send, socket, at + 1));
  };
  return (_query, socket) => void send(socket.setNoDelay(), 0);
}

/** Sends a text and resets the connection once the client has it. */
function reset(text: string): DasScript {
  return (_query, socket) => {
    if (text === '') return void socket.resetAndDestroy();
    socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
    return undefined;
  };
}
