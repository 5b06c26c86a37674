import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { dasServiceOf } from '../../../src/registries/whois/das-services.ts';
import { dasSource } from '../../../src/registries/whois/das-source.ts';
import { dasReplies } from '../../support/bodies/das-replies.ts';
import { startFakeDas } from '../../support/servers/fake-das-server.ts';
import {
  drip,
  latin1,
  open,
  outcomeOf,
  reset,
  rowsOf,
  type Replies,
  type Reply,
} from './tcp-replies.ts';

const { eu, be, ch, lt } = dasReplies;

const verdicts: Replies = {
  AVAILABLE: {
    'name.eu: AVAILABLE': eu('name', 'AVAILABLE'),
    'name.eu: FREE': eu('name', 'FREE'),
    'name.eu: another case': eu('NAME', 'Available'),
    'name.be: AVAILABLE': be('name.be', 'AVAILABLE'),
    'name.be: RC: 0': 'RC: 0\nDomain: name.be\nStatus: AVAILABLE\n',
    'name.ch: 1': ch('1'),
    'name.ch: 1 without a line end': '1: Yes',
    'name.li: 1 in another language': ch('1', 'Der Name ist frei.'),
    'name.lt: available': lt('name.lt', 'available'),
    'name.lt: CRLF': lt('name.lt', 'available').replaceAll('\n', '\r\n'),
    'name.eu: a drip that ends in time': drip(eu('name', 'FREE')),
    'name.be: a connection that stays open': open(be('name.be', 'AVAILABLE')),
    'name.ch: a code before an open end': open(ch('1')),
    'name.be: Latin-1 in a comment': latin1(`% Café\r\n${be('name.be', 'AVAILABLE')}`),
    'xn--bcher-kva.be: a U-label': be('bücher.be', 'AVAILABLE'),
    'xn--bcher-kva.be: a U-label in Latin-1': latin1(be('bücher.be', 'AVAILABLE')),
  },
  REGISTERED: {
    'name.eu: REGISTERED': eu('name', 'REGISTERED'),
    'name.eu: NOT AVAILABLE': eu('name.eu', 'NOT AVAILABLE'),
    'name.eu: ON HOLD': eu('name', 'ON HOLD'),
    'name.eu: OUT OF SERVICE': eu('name', 'OUT OF SERVICE'),
    'name.be: NOT AVAILABLE': be('name.be', 'NOT AVAILABLE'),
    'name.lt: registered': lt('name.lt', 'registered'),
    'name.lt: stopped': lt('name.lt', 'stopped'),
    'name.lt: outOfService': lt('name.lt', 'outOfService'),
    'name.lt: pendingCreate': lt('name.lt', 'pendingCreate'),
    'name.lt: restrictedDisposal': lt('name.lt', 'restrictedDisposal'),
    'name.lt: restrictedRights': lt('name.lt', 'restrictedRights'),
    'name.eu: "free" in a comment': `% free\r\n${eu('name', 'REGISTERED')}`,
    'name.be: a commented status': `% Status: AVAILABLE\r\n${be('name.be', 'NOT AVAILABLE')}`,
  },
  RESERVED: {
    'name.eu: RESERVED': eu('name', 'RESERVED'),
    'name.eu: BLOCKED': eu('name', 'BLOCKED'),
    'name.lt: blocked': lt('name.lt', 'blocked'),
    'name.lt: reserved': lt('name.lt', 'reserved'),
  },
  REDEMPTION: {
    'name.eu: SUSPENDED': eu('name', 'SUSPENDED'),
    'name.lt: pendingDelete': lt('name.lt', 'pendingDelete'),
  },
  'RESERVED, may be registered': { 'name.li: 0': ch('0', 'Not possible.', 'Reason: available') },

  PENDING_DELETE: { 'name.lt: pendingRelease': lt('name.lt', 'pendingRelease') },
};

const untrusted = 'untrusted_answer';
const timeout = 'registry_timeout, timeout';
const failures: Replies = {
  'registry_busy after 60 s, busy': {
    'name.be: the limit': 'RC: -2\r\n',
    'name.be: the limit on an open connection': open('RC: -2\r\n'),
    'name.be: the limit with a status': be('name.be', 'AVAILABLE', '-2'),
    'name.ch: the limit': ch('-95', 'Wait'),
  },
  'registry_error after 3600 s, busy': {
    'name.be: a block': 'RC: -3\r\n',
    'name.eu: a block': eu('name', 'AVAILABLE', '-9'),
  },
  'registry_error, server_error': {
    'name.be: an internal error': 'RC: -1\r\n',
    'name.eu: an internal timeout': '%% RC = -8\r\n',
    'name.ch: a temporary error': ch('-99'),
  },
  [untrusted]: {
    'name.eu: an invalid version': eu('name', 'FREE', '-6'),
    'name.eu: an invalid pattern': eu('name', 'FREE', '-7'),
    'name.ch: an invalid enquiry': ch('-1'),
    'name.eu: an unknown code': eu('name', 'FREE', '1'),
    'name.be: an unknown code': be('name.be', 'AVAILABLE', '7'),
    'name.ch: an unknown code': ch('2', 'available'),
    'name.eu: no code': 'Domain: name\r\nStatus: FREE\r\n',
    'name.be: two codes': `RC: 0\r\n${be('name.be', 'AVAILABLE')}`,
    'name.eu: APPLICATION PENDING': eu('name', 'APPLICATION PENDING'),
    'name.eu: NOT ALLOWED': eu('name', 'NOT ALLOWED'),
    'name.be: NOT ALLOWED': be('name.be', 'NOT ALLOWED'),
    'name.be: an unknown status': be('name.be', 'AVAILABLE SOON'),
    'name.lt: the name of an object property as status': lt('name.lt', 'constructor'),
    'name.lt: two statuses': lt('name.lt', 'available\nStatus: registered'),
    'name.lt: an unfinished second status': `${lt('name.lt', 'available')}Status: NOT AVAILABLE`,
    'name.ch: a second code': '1: Yes\r\n0: No\r\n',
    'name.lt: a code of another registry': `%% RC = 2\n${lt('name.lt', 'available')}`,
    'name.lt: an empty status': lt('name.lt', ''),
    'name.be: no status': '%% RC=0\r\nDomain: name.be\r\n',
    'name.lt: another language': lt('name.lt', 'frei'),
    'name.lt: other field names': 'Name: name.lt\nState: available\n',
    'name.ch: words instead of a code': 'available\r\n',
    'name.ch: a code in the second line': 'Hello\r\n1: Yes\r\n',
    'name.ch: a code without text': '1\r\n',
    'name.eu: another name': eu('other', 'FREE'),
    'name.eu: another TLD': eu('name.be', 'FREE'),
    'name.be: another name': be('other.be', 'AVAILABLE'),
    'name.eu: an incomplete name': eu('name.', 'FREE'),
    'name.be: a name without its TLD': be('name', 'AVAILABLE'),
    'name.lt: a name without its TLD': lt('name', 'available'),
    'name.lt: two names': `Domain: other.lt\n${lt('name.lt', 'available')}`,
    'xn--bcher-kva.be: another A-label': be('bücher.be\r\nA-label: xn--caf-dma.be', 'AVAILABLE'),
    'name.lt: another name': lt('other.lt', 'available'),
    'name.lt: no name': 'Status: available\n',
    'name.be: a comment': '% The name is free. Status: AVAILABLE\r\n',
    'name.eu: HTML': '<html><body>Status: AVAILABLE</body></html>\n',
    'name.ch: HTML': '<html>\n1: free\n</html>\n',
    'name.lt: an HTTP reply': 'HTTP/1.1 200 OK\r\n\r\nname.lt: available\n',
    'name.lt: random bytes': Buffer.from([0, 255, 128, 10, 195, 40, 10]),
    'name.be: an end within the status': be('name.be', 'AVAILABLE').slice(0, -2),
    'name.ch: an end within the code': '1',
    'name.lt: an end half-way': '% .lt registry\nDomain: name.lt\nSta',
    'name.eu: 4 KiB before the status': `${'%\r\n'.repeat(1400)}${eu('name', 'FREE')}`,
    'name.ch: an endless line': open('x'.repeat(5000)),
    ...secondStatuses(),
    ...otherLines(),
  },
  'registry_error, down': {
    'name.eu: no bytes': '',
    'name.eu: a reset': reset(''),
    'name.lt: a reset within the status': reset(lt('name.lt', 'available').slice(0, -1)),
  },
  [timeout]: {
    'name.ch: silence': open(''),
    'name.ch: a code that never ends': open('1: Yes'),
    'name.be: a status that never ends': open(be('name.be', 'AVAILABLE').slice(0, -1).trimEnd()),
    'name.eu: a drip that never ends': drip(eu('name', 'FREE').slice(0, -1)),
  },
};

describe('the reply of an availability service', () => {
  it.each(rowsOf(verdicts))('$title gives its verdict', async ({ name, reply, outcome }) => {
    expect(await outcomeAfter(name, reply)).toBe(outcome);
  });

  it.each(rowsOf(failures))('$title gives UNKNOWN', async ({ name, reply, outcome }) => {
    const timeoutMs = outcome === timeout ? 300 : undefined;
    expect(await outcomeAfter(name, reply, timeoutMs)).toBe(outcome);
  });

  it.fails.each([
    ['name.eu', eu('name', 'FREE'), untrusted],
    ['name.lt', lt('other.lt', 'available'), 'AVAILABLE'],
  ])('about %s shows that a row of these tables can fail', async (name, reply, outcome) => {
    expect(await outcomeAfter(name, reply)).toBe(outcome);
  });
});

async function outcomeAfter(name: string, reply: Reply, timeoutMs = 5000): Promise<string> {
  await using server = await startFakeDas(typeof reply === 'function' ? reply : () => reply);
  const service = dasServiceOf(name.slice(-2));
  if (!service) throw new Error(`${name} has no availability service`);
  const options = { clock: systemClock, timeoutMs, allowPrivate: true };
  return await outcomeOf(dasSource(service, server, service.forms[0], options), name);
}

/** Replies with two statuses, in either order. */
function secondStatuses(): Record<string, Reply> {
  const statuses = ['NOT AVAILABLE', 'not  available', 'registered (2)', ''];
  const pairs = statuses.flatMap((status) => [
    [status, 'available'],
    ['available', status],
  ]);
  return Object.fromEntries(
    pairs.map(([first = '', second]) => [
      `name.lt: the statuses "${first}" and "${second}"`,
      lt('name.lt', `${first}\nStatus: ${second}`),
    ]),
  );
}

/** Replies with a line that belongs to no status. */
function otherLines(): Record<string, Reply> {
  const lines = [
    'Access denied',
    'This name is reserved.',
    '% Too many requests',
    '%% Status: registered',
    '%% RC = two',
    ' Status: registered',
    'Domain: other.lt (variant)',
    'RC = -9',
  ];
  const replies = lines.map((line) => ({
    [`name.lt: "${line}" first`]: `${line}\n${lt('name.lt', 'available')}`,
    [`name.lt: "${line}" last`]: `${lt('name.lt', 'available')}${line}\n`,
    [`name.eu: "${line}"`]: `${line}\r\n${eu('name', 'AVAILABLE')}`,
    [`name.be: "${line}"`]: be(`name.be\r\n${line.replace('RC = -9', '%%RC')}`, 'AVAILABLE'),
  }));
  return Object.assign({}, ...replies) as Record<string, Reply>;
}
