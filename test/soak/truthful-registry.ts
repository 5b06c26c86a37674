import { gzipSync } from 'node:zlib';
import { systemClock } from '../../src/clock.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import {
  deepJson,
  drip,
  hang,
  huge,
  invalidUtf8,
  reset,
  resetMidBody,
  truncated,
} from '../support/bodies/hostile-replies.ts';
import type { Random } from '../support/time/random.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  rdapJson,
  redirect,
  registered,
  status,
  unregistered,
  type FakeRequest,
  type Reply,
} from '../support/bodies/replies.ts';
import { delayed } from '../support/bodies/scripts.ts';

/** The expected verdict of a name. */
export type Truth = 'available' | 'registered' | 'reserved' | 'redemption' | 'pending_delete';

/** Returns the expected verdict of a name, which is derived from the name. */
export function truthOf(name: string): Truth {
  const share = hash(name) % 100;
  if (/^(?:nic|google|domreg)\./.test(name)) return 'registered';
  if (share < 45) return 'available';
  if (share < 85) return 'registered';
  if (share < 91) return 'reserved';
  return share < 96 ? 'redemption' : 'pending_delete';
}

/** Returns the unique handle of a registered name. */
export const handleOf = (name: string) => `FAKE-${name}`;

/** A registry with known verdicts. */
export interface TruthfulRegistry extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requestCount: number;
  /** The names that the registry has lost: it returns 404 for them. */
  outage: Outage | undefined;
}

/**
 * The names that a registry has lost: all, those of one TLD, its first canaries, or a tenth of
 * those that cannot have been deleted.
 */
export type Outage = 'everything' | `.${string}` | 'a canary' | 'a tenth';

function isLost(name: string, outage: Outage | undefined): boolean {
  if (outage === undefined) return false;
  if (outage === 'everything') return true;
  if (outage === 'a canary') return name.startsWith('nic.');
  // A name that is being deleted may become available at any time, so losing it contradicts
  // nothing.
  if (outage === 'a tenth')
    return hash(`lost ${name}`) % 10 === 0 && ['registered', 'reserved'].includes(truthOf(name));
  return name.endsWith(outage);
}

/** The options of a registry. */
export interface TruthfulOptions {
  /** The probability of a fault per request. */
  readonly faults: () => number;
  /**
   * The probability that a registered name gets a regular "not found" response, which cannot be
   * detected.
   */
  readonly lies?: number;
  readonly random: Random;
}

/**
 * Starts a registry that fails in every detectable way, and otherwise returns the expected verdict.
 */
export async function startTruthfulRegistry({
  faults,
  lies = 0,
  random,
}: TruthfulOptions): Promise<TruthfulRegistry> {
  let requestCount = 0;
  const state: { outage: Outage | undefined } = { outage: undefined };
  const answer = (request: FakeRequest): Reply => {
    if (request.url.startsWith('/liar/') || random.chance(lies)) return notFound();
    if (isLost(request.name, state.outage)) return random.pick([notFound(), emptyNotFound()]);
    return random.chance(faults())
      ? faultyReply(request, random)
      : truthfulReply(request.name, random);
  };
  const server = await startHttpServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const name = /\/domain\/([^/?]*)/.exec(url)?.[1] ?? '';
    requestCount += 1;
    response.sendDate = false; // the gateway's clock is set forward
    const request = { name, method, url, headers, at: 0 };
    void answer(request).send(response, request, systemClock);
  });
  return {
    baseUrl: `${server.url}/`,
    get requestCount() {
      return requestCount;
    },
    get outage() {
      return state.outage;
    },
    set outage(outage) {
      state.outage = outage;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const statuses = {
  registered: ['active'],
  reserved: ['reserved'],
  redemption: ['redemption period', 'pending delete'],
  pending_delete: ['pending delete'],
};

function truthfulReply(name: string, random: Random): Reply {
  const truth = truthOf(name);
  if (truth === 'available')
    return random.pick([
      notFound(),
      notFound(),
      emptyNotFound(),
      json(200, { errorCode: 404 }),
      unregistered(name),
    ]);
  if (truth === 'reserved' && random.chance(0.5))
    return notFound('This name is not available for registration.');
  const reply = object(name, statuses[truth]);
  return random.chance(0.1)
    ? delayed(random.below(10), reply)
    : random.chance(0.1)
      ? zipped(name, statuses[truth])
      : reply;
}

const object = (name: string, words: readonly string[]) =>
  registered(name, { statuses: words, members: { handle: handleOf(name) } });
const zipped = (name: string, words: readonly string[]) =>
  status(
    200,
    { 'content-type': rdapJson, 'content-encoding': 'gzip' },
    gzipSync(JSON.stringify(domainObject(name, { statuses: words }))),
  );

/** Returns a detectable fault. Its content, if any, may be true or false. */
function faultyReply({ name, url, headers }: FakeRequest, random: Random): Reply {
  const other = `other${random.below(1000)}.${name.split('.').slice(1).join('.')}`;
  const liar = `http://localhost:${headers.host?.split(':')[1]}/liar${url}`;
  if (random.chance(0.01))
    return random.pick([
      hang(),
      drip('{'.padEnd(1000), 10),
      huge(1024 * 1024 + 1),
      deepJson(50_000),
    ]);
  return random.pick<Reply>([
    reset(),
    resetMidBody(),
    truncated(),
    html(404),
    html(200),
    status(404),
    status(404, { 'content-type': 'text/plain' }, 'not found'),
    json(404, { message: 'not found' }),
    json(404, { ...domainObject(name), errorCode: 404 }),
    json(200, { errorCode: 500 }),
    registered(other),
    registered(`www.${name}`),
    unregistered(other),
    json(200, domainObject(name, { members: { objectClassName: 'entity' } })),
    invalidUtf8(),
    cutAfterHeaders(),
    notFound('Down for maintenance.'),
    notFound(`${other} was not found.`),
    json(404, absent, { age: random.pick(['3600', '-1', 'nonsense', '1, 3600']) }),
    json(404, absent, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }),
    redirect(liar),
    redirect(url),
    status(429, { 'retry-after': '0' }),
    status(503, { 'retry-after': '0' }),
    ...[400, 403, 422, 500, 502, 504].map((code) => json(code, { errorCode: 404 })),
  ]);
}

const absent = { errorCode: 404, title: 'Not Found' };

/** Returns a reply with the headers of a 404 and no body, after which the connection is closed. */
function cutAfterHeaders(): Reply {
  return {
    send: (response) =>
      void response.socket?.end(`HTTP/1.1 404 Not Found\r\nContent-Type: ${rdapJson}\r\n\r\n`),
  };
}

/** Returns the FNV-1a hash of a text. */
export function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum;
}
