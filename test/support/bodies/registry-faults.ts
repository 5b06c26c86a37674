import { gzipSync } from 'node:zlib';
import type { ProblemCode } from '../../../src/domain/problems.ts';
import { startBlackHole } from '../servers/black-hole.ts';
import { domainObject } from './domain-object.ts';
import { startFakeRegistry } from '../servers/fake-registry.ts';
import {
  deepJson,
  drip,
  gzipBomb,
  hang,
  huge,
  invalidUtf8,
  reset,
  resetMidBody,
  truncated,
} from './hostile-replies.ts';
import { body, flood, object, raw, rawThenHang, wideJson } from './odd-replies.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  redirect,
  registered,
  status,
  type Reply,
  type Script,
} from './replies.ts';
import { expiredTls, otherNameTls, testTls } from '../servers/tls.ts';

/**
 * A fault of a registry, and the expected outcome of a lookup: a problem, or a verdict despite the
 * fault.
 */
export interface Fault {
  readonly what: string;
  readonly outcome: ProblemCode | 'registered';
  /**
   * Starts such a registry. Resolves to its base URL, and that of the host to which it redirects,
   * if any.
   */
  open(
    stack: AsyncDisposableStack,
  ): Promise<string | readonly [baseUrl: string, redirectsTo: string]>;
}

/** Returns every fault that the gateway is tested against. */
export const faults = (): readonly Fault[] => [
  ...unreachable,
  ...rows('registry_timeout', unresponsive),
  ...rows('registry_error', broken),
  ...rows('untrusted_answer', untrustworthy),
  ...rows('registry_error', redirects),
  ...rows('registry_error', otherStatuses),
  ...rows('registry_busy', busy),
  ...rows('registered', survivable),
];

const mebibyte = 1024 * 1024;
const head = (length: number | string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/rdap+json\r\nContent-Length: ${length}\r\n\r\n`;

const unresponsive: Record<string, Script> = {
  'never responds': hang(),
  'sends headers and nothing more': rawThenHang(head(1000)),
  'stops in the middle of its headers': rawThenHang('HTTP/1.1 200 OK\r\nContent-Ty'),
  'sends a 404 without its body': rawThenHang(
    'HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\n',
  ),
  'sends interim responses without end': rawThenHang('HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)),
  'sends one byte at a time': drip('{'.padEnd(10_000), 20),
};

const broken: Record<string, Script> = {
  'resets the connection': reset(),
  'resets the connection within its response': resetMidBody(),
  'closes the connection without a response': raw(''),
  'closes the connection before the announced length': raw(`${head(100_000)}{}`),
  'does not speak HTTP': raw('220 mail.test ESMTP ready\r\n'),
  'sends an invalid length': raw(`${head('many')}{}`),
  'sends invalid chunks': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
  'sends headers without end': raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n{}`),
  'switches protocols': raw(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n',
  ),
};

const utf16 = Buffer.from(JSON.stringify({ errorCode: 404 }), 'utf16le');

const untrustworthy: Record<string, Script> = {
  'ends its response in the middle': truncated(),
  'sends a gzip bomb': gzipBomb(4 * mebibyte),
  'sends 100 MB': flood(100 * mebibyte),
  'sends 100 MB without a length': flood(100 * mebibyte, false),
  'sends one byte more than 1 MiB': huge(mebibyte + 1),
  'sends JSON of 100,000 levels': deepJson(100_000),
  'sends JSON of 65 levels': deepJson(65),
  'sends JSON of 100,000 members': wideJson(100_000),
  'sends invalid UTF-8': invalidUtf8(),
  'sends UTF-16': status(404, { 'content-type': 'application/rdap+json' }, utf16),
  'sends half of a compressed response': body(gzipSync('{"errorCode":404}').subarray(0, 20), {
    'content-encoding': 'gzip',
  }),
  'claims to send compressed data': body('{"errorCode":404}', { 'content-encoding': 'br' }),
  'sends HTML': html(200),
  'sends an HTML "not found"': html(404),
  'sends nothing': body(''),
  'sends null': body('null'),
  'sends a list': body('[{"errorCode":404}]'),
  'sends a text': body('"not found"'),
  'sends invalid JSON': body('{"objectClassName":"domain",'),
  'sends JSON followed by other text': body('{"errorCode":404}{}'),
  'sends a domain without a name': object({ ldhName: undefined }),
  "sends another domain's object": registered('other.aa'),
  'sends a name one level deeper': object({ ldhName: 'www.new.aa' }),
  'sends a nameserver': object({ objectClassName: 'nameserver' }),
  'sends an entity': object({ objectClassName: 'entity' }),
  'sends an object without a class': object({ objectClassName: undefined }),
  'sends the error 500 as 200': json(200, { errorCode: 500, title: 'Not Found' }),
  'sends an error without a code': json(200, {
    title: 'Not Found',
    description: ['No such domain.'],
  }),
  'sends a 404 with a domain in it': json(404, {
    objectClassName: 'domain',
    ldhName: 'new.aa',
    errorCode: 404,
  }),
  'sends a 404 with other JSON': json(404, { message: 'no route', status: 404 }),
  'sends a 404 with another code': json(404, { errorCode: 400, title: 'Bad Request' }),
  'sends a 404 with its code as a string': json(404, { errorCode: '404' }),
  'sends a 404 without media type and body': status(404),
  'sends a 404 with an empty page': status(404, { 'content-type': 'text/html' }),
  'sends a 404 although it has never found any name': emptyNotFound(),
};

const redirects: Record<string, Script> = {
  'redirects to itself': ({ url }) => redirect(url),
  'redirects back and forth': ({ url }) =>
    redirect(url.endsWith('?b') ? url.slice(0, -2) : `${url}?b`),
  'redirects without end': ({ url }) => redirect(`${url}x`),
  'redirects without a location': status(302),
  'redirects to garbage': redirect('http://['),
  'redirects to a file': redirect('file:///etc/passwd'),
  'redirects to data': redirect('data:application/rdap+json,{"errorCode":404}'),
  'redirects to a closed port': redirect('http://127.0.0.1:1/domain/new.aa'),
  'redirects to a host that does not exist': redirect('http://rdap.invalid/domain/new.aa'),
  'redirects with a password': ({ headers, url }) =>
    redirect(`http://user:secret@${headers.host}${url}`),
  'offers multiple choices': status(300, { location: '/redirectingTo' }),
  'sends a 304': status(304),
};

const otherStatuses: Record<string, Script> = Object.fromEntries(
  [201, 202, 204, 206, 305, 400, 401, 403, 408, 410, 451, 500, 502, 504, 599].map((code) => [
    `answers ${code}`,
    status(
      code,
      { 'content-type': 'application/rdap+json' },
      code === 204 ? '' : '{"errorCode":404}',
    ),
  ]),
);

const inAMinute = () => new Date(Date.now() + 60_000).toUTCString();
const retryAfters: Record<string, () => string | undefined> = {
  'without Retry-After': () => undefined,
  'with Retry-After: 0': () => '0',
  'with Retry-After in a second': () => '1',
  'with Retry-After in a minute': () => '60',
  'with Retry-After in three thousand years': () => '99999999999',
  'with a date in Retry-After': inAMinute,
  'with a past date in Retry-After': () => 'Fri, 31 Dec 1999 23:59:59 GMT',
  'with Retry-After in the year 9999': () => 'Fri, 31 Dec 9999 23:59:59 GMT',
  'with a negative Retry-After': () => '-5',
  'with an invalid Retry-After': () => 'tomorrow',
};

const busyRow = (code: number, when: string): [string, Script] => {
  const header = retryAfters[when]?.();
  const headers = header === undefined ? {} : { 'retry-after': header };
  return [`answers ${code} ${when}`, status(code, headers)];
};
const busy: Record<string, Script> = Object.fromEntries([
  ...Object.keys(retryAfters).map((when) => busyRow(429, when)),
  ...['without Retry-After', 'with Retry-After in a minute'].map((when) => busyRow(503, when)),
]);

const found: Script = ({ name }) => registered(name);

const survivable: Record<string, Script> = {
  'resets every other connection': alternating(reset()),
  'answers 500 every other time': alternating(status(500)),
  'answers 429 every other time, with Retry-After: 0': alternating(
    status(429, { 'retry-after': '0' }),
  ),
  'redirects to the answer': ({ url, name }) =>
    url.endsWith('?there') ? registered(name) : redirect(`${url}?there`, 307),
  'sends unknown members, and invalid standard ones': object({
    events: 7,
    entities: 'none',
    status: null,
    x_other: { a: [[]] },
  }),
  'declares its response as plain text': ({ name }) =>
    status(200, { 'content-type': 'text/plain' }, JSON.stringify(domainObject(name))),
};

const unreachable: readonly Fault[] = [
  {
    what: 'is at a closed port',
    outcome: 'registry_error',
    open: async () => 'http://127.0.0.1:1/',
  },
  {
    what: 'has a host name that does not exist',
    outcome: 'registry_error',
    open: async () => 'https://rdap.invalid/',
  },
  {
    what: 'neither accepts nor refuses connections',
    outcome: 'registry_timeout',
    open: async (stack) => `http://127.0.0.1:${stack.use(await startBlackHole('127.0.0.1')).port}/`,
  },
  { what: 'has an expired certificate', outcome: 'registry_error', open: overTls(expiredTls) },
  {
    what: 'has a certificate for another name',
    outcome: 'registry_error',
    open: overTls(otherNameTls),
  },
  {
    what: 'speaks HTTP instead of TLS',
    outcome: 'registry_error',
    open: async (stack) => (await opened(stack)).replace('http:', 'https:'),
  },
  {
    what: 'speaks TLS instead of HTTP',
    outcome: 'registry_error',
    open: async (stack) => (await overTls(testTls)(stack)).replace('https:', 'http:'),
  },
  {
    what: 'redirects from https: to http:',
    outcome: 'registry_error',
    async open(stack) {
      const plain = await opened(stack);
      return overTls(testTls, ({ url }) => redirect(new URL(url, plain).href))(stack);
    },
  },
  {
    what: 'redirects to another host that returns 404',
    outcome: 'untrusted_answer',
    open: redirectingTo(notFound()),
  },
  {
    what: 'redirects to another host that never responds',
    outcome: 'registry_timeout',
    open: redirectingTo(hang()),
  },
  {
    what: 'redirects to another host that finds the name',
    outcome: 'registered',
    open: redirectingTo(found),
  },
  { what: 'has a trusted certificate', outcome: 'registered', open: overTls(testTls) },
];

function alternating(reply: Reply): Script {
  let times = 0;
  return ({ name }) => (times++ % 2 === 0 ? reply : registered(name));
}

function rows(outcome: Fault['outcome'], scripts: Record<string, Script>): readonly Fault[] {
  return Object.entries(scripts).map(([what, script]) => ({
    what,
    outcome,
    open: (stack) => opened(stack, script),
  }));
}

async function opened(stack: AsyncDisposableStack, script: Script = found): Promise<string> {
  const registry = stack.use(await startFakeRegistry());
  registry.on(/./, script);
  return registry.baseUrl;
}

function overTls(
  tls: typeof testTls,
  script: Script = found,
): (stack: AsyncDisposableStack) => Promise<string> {
  return async (stack) => {
    const registry = stack.use(await startFakeRegistry({ tls }));
    registry.on(/./, script);
    return registry.baseUrl;
  };
}

/** Opens a registry that redirects to another one, under another name of the same machine. */
function redirectingTo(script: Script): Fault['open'] {
  return async (stack) => {
    const other = (await opened(stack, script)).replace('127.0.0.1', 'localhost');
    return [await opened(stack, ({ url }) => redirect(new URL(url, other).href)), other];
  };
}
