import { inspect } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { Problem } from '../../src/domain/problems.ts';
import { signalsOf, type AgentSignal } from '../../src/sites/agent-signals/agent-signals.ts';
import type { Fact } from '../../src/sites/fact.ts';
import { features } from '../../src/sites/features.ts';
import type { ForSale } from '../../src/sites/for-sale/for-sale.ts';
import type { RobotsFile } from '../../src/sites/robots/robots-file.ts';
import { ForbiddenAddressError } from '../../src/outbound/public-address.ts';
import { ConnectError } from '../../src/outbound/site-exchange.ts';
import { mayTryPlainHttp } from '../../src/sites/site-problems.ts';
import type { ReadFact, SiteRequest } from '../../src/sites/site-facts.ts';
import type { TlsScan } from '../../src/sites/tls/describe-scan.ts';
import type { TlsProfile } from '../../src/sites/tls/tls-scan.ts';
import { parseSiteHost } from '../../src/sites/site-target.ts';
import { CachedSiteReader } from '../../src/sites/cached-site-reader.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';

const day = 24 * 60 * 60;
const query = { target: parseSiteHost('shop.example') };
const notForSale: ForSale = { isForSale: false, offers: [] };
const detected = { status: 'detected', checkedUrl: null, httpStatus: 200, evidence: [] } as const;
const completeScan: TlsScan = {
  host: 'shop.example',
  port: 443,
  address: '192.0.2.1',
  protocols: [{ version: 'TLSv1.3', isOffered: true }],
  supportsHttp2: true,
  defaultCipher: null,
  defaultProtocol: null,
  keyExchange: null,
  cipherCategories: [{ id: 'rc4', isOffered: false }],
  hasForwardSecrecy: true,
  certificates: [],
  isTrusted: true,
  trustError: null,
  matchesHost: true,
  hasOcspStaple: false,
  profile: 'full',
  findings: [],
  durationMs: 1,
  notes: [],
};

/** A read of the site that the test completes. */
interface PendingRead {
  readonly request: SiteRequest;
  resolve(data: ForSale): void;
  reject(error: unknown): void;
}

let clock: ManualClock;
let pending: PendingRead[];
let robots: RobotsFile['access'];
let signals: AgentSignal['status'] | 'unavailable';
let scans: (string | undefined)[];
let scan: TlsScan;
let reader: CachedSiteReader;

beforeEach(() => {
  clock = manualClock();
  pending = [];
  robots = 'rules';
  signals = 'unchecked';
  scans = [];
  scan = completeScan;
  const forSale: ReadFact<ForSale> = (_query, request) => {
    const { promise, resolve, reject } = Promise.withResolvers<ForSale>();
    const send = (data: ForSale) => {
      request.onSent?.();
      resolve(data);
    };
    pending.push({ request, resolve: send, reject });
    return promise;
  };
  const readers: Readonly<Record<string, ReadFact<unknown>>> = {
    forSale,
    robots: async (_query, request) => {
      request.onSent?.();
      return {
        url: 'https://shop.example/robots.txt',
        finalUrl: 'https://example.com/robots.txt',
        status: 503,
        access: robots,
        groups: [],
        sitemaps: [],
        isTruncated: false,
      };
    },
    tls: async ({ profile }, request) => {
      request.onSent?.();
      scans.push(profile);
      return scan;
    },
    agentSignals: async (_query, request) => {
      request.onSent?.();
      const states =
        signals === 'unavailable'
          ? {}
          : { llms_txt: detected, openapi: { ...detected, status: signals } };
      const problem = { code: 'site_timeout', detail: '' } as const;
      const home = { requestedUrl: '', finalUrl: null, status: null, fetchState: null };
      return signalsOf(states, problem, { ...home, probeCount: 2, maxProbes: 20 });
    },
  };
  reader = new CachedSiteReader(<T>({ name }: Fact<T>) => readers[name] as ReadFact<T>, clock);
});

const requestOf = (signal = new AbortController().signal): SiteRequest => ({
  signal,
  account: 'a',
  queueDeadline: Infinity,
});
const read = (maxAge?: number, request = requestOf()) =>
  reader.read(features.forSale.lookup.fact, query, maxAge, request);

const readRobots = (maxAge?: number) =>
  reader.read(features.robots.lookup.fact, query, maxAge, requestOf());

const readSignals = (maxAge?: number) =>
  reader.read(features.agentSignals.lookup.fact, query, maxAge, requestOf());
const readTls = (profile: TlsProfile, maxAge?: number) =>
  reader.read(features.tls.lookup.fact, { ...query, profile }, maxAge, requestOf());

/** Reads a fact that is not cached. */
async function readNow(maxAge?: number) {
  const answer = read(maxAge);
  pending.at(-1)?.resolve(notForSale);
  return answer;
}

it('returns a fact for a day without contacting the site again', async () => {
  const checkedAt = clock.now();
  const freshUntil = checkedAt + day * 1000;
  expect(await readNow()).toEqual({ data: notForSale, checkedAt, freshUntil, cached: false });
  clock.advance(day * 1000);
  expect(await read()).toEqual({ data: notForSale, checkedAt, freshUntil, cached: true });
  clock.advance(1);
  expect(await readNow()).toMatchObject({ cached: false });
  expect(pending).toHaveLength(2);
});

it('returns only facts that are as recent as the caller requests', async () => {
  await readNow();
  clock.advance(10_000);
  expect(await read(10)).toMatchObject({ cached: true });
  expect(await readNow(9)).toMatchObject({ cached: false });
  expect(await readNow(0)).toMatchObject({ cached: false });
  clock.advance(30 * day * 1000);
  expect(await read(40 * day)).toMatchObject({ cached: true });
  expect(pending).toHaveLength(3);
});

it('reads again if the clock was set back', async () => {
  await readNow();
  clock.advance(-1);
  expect(await readNow()).toMatchObject({ cached: false });
});

it('never uses a robots.txt for more than a day, and a failed one for a minute', async () => {
  await readRobots();
  clock.advance(day * 1000 + 1);
  expect(await readRobots(30 * day)).toMatchObject({ cached: false });
  robots = 'disallow_all';
  expect(await readRobots(0)).toMatchObject({ freshUntil: clock.now() + 60_000 });
  clock.advance(60_000);
  expect(await readRobots(day)).toMatchObject({ cached: true });
  clock.advance(1);
  expect(await readRobots(day)).toMatchObject({ cached: false });
});

it.each(['unknown', 'unavailable'] as const)(
  'uses signals that are %s for a minute',
  async (failed) => {
    expect(await readSignals()).toMatchObject({ freshUntil: clock.now() + day * 1000 });
    signals = failed;
    expect(await readSignals(0)).toMatchObject({ freshUntil: clock.now() + 60_000 });
    clock.advance(60_000);
    expect(await readSignals(day)).toMatchObject({ cached: true });
    clock.advance(1);
    expect(await readSignals(day)).toMatchObject({ cached: false });
  },
);

it.each<[string, Partial<TlsScan>]>([
  ['a protocol', { protocols: [{ version: 'TLSv1.3', isOffered: null }] }],
  ['a category of ciphers', { cipherCategories: [{ id: 'rc4', isOffered: null }] }],
  ['HTTP/2', { supportsHttp2: null }],
])('uses a TLS scan for a minute if the probe of %s failed', async (_probe, failed) => {
  expect(await readTls('full')).toMatchObject({ freshUntil: clock.now() + day * 1000 });
  scan = { ...completeScan, ...failed };
  expect(await readTls('full', 0)).toMatchObject({ freshUntil: clock.now() + 60_000 });
  clock.advance(60_001);
  expect(await readTls('full', day)).toMatchObject({ cached: false });
});

it('scans a server once for each profile', async () => {
  await readTls('standard');
  await readTls('full');
  expect(await readTls('standard')).toMatchObject({ cached: true });
  expect(scans).toEqual(['standard', 'full']);
});

it('shares a read between concurrent callers, whatever their maximum age', async () => {
  const answers = [read(), read(0), read(5)];
  expect(pending).toHaveLength(1);
  pending[0]?.resolve(notForSale);
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ cached: false });
});

it('starts a read of its own for an account while that of another waits to be sent', async () => {
  const first = read(undefined, { ...requestOf(), account: 'first' });
  const second = read(undefined, { ...requestOf(), account: 'second' });
  expect(pending.map(({ request }) => request.account)).toEqual(['first', 'second']);
  pending[0]?.reject(new Problem('site_timeout', 'The queue is full.'));
  expect(await first).toMatchObject({ problem: { code: 'site_timeout' } });
  pending[1]?.resolve(notForSale);
  expect(await second).toMatchObject({ data: notForSale });
});

it('shares a read that was sent between accounts', async () => {
  const first = read(undefined, { ...requestOf(), account: 'first' });
  pending[0]?.request.onSent?.();
  const second = read(undefined, { ...requestOf(), account: 'second' });
  expect(pending).toHaveLength(1);
  pending[0]?.resolve(notForSale);
  for (const answer of [first, second]) expect(await answer).toMatchObject({ data: notForSale });
});

it('waits until the latest queue deadline of the callers of a read', async () => {
  const leaving = new AbortController();
  const answers = [
    read(undefined, { ...requestOf(), queueDeadline: 5 }),
    read(undefined, { ...requestOf(leaving.signal), queueDeadline: 7 }),
    read(undefined, { ...requestOf(), queueDeadline: 6 }),
  ];
  expect(pending.map(({ request }) => request.queueDeadline)).toEqual([7]);
  leaving.abort();
  expect(pending[0]?.request.queueDeadline).toBe(7);
  pending[0]?.resolve(notForSale);
  await Promise.all(answers);
});

it('reports to every caller of a shared read that the site was contacted', async () => {
  const sent: string[] = [];
  const observed = (name: string) => ({ ...requestOf(), onSent: () => void sent.push(name) });
  const first = read(undefined, observed('first'));
  pending[0]?.request.onSent?.();
  const second = read(undefined, observed('second'));
  expect(sent).toEqual(['first', 'second']);
  pending[0]?.resolve(notForSale);
  await Promise.all([first, second]);
  await read(undefined, observed('third'));
  expect(sent).not.toContain('third');
});

it.each([
  ['an invalid response', new Error('Parse error'), false],
  ['no connection', new ConnectError('Failed', { cause: new Error('Refused') }), true],
  [
    'a forbidden address',
    new ConnectError('Failed', { cause: new ForbiddenAddressError() }),
    false,
  ],
])('caches no data of the site with a failure: %s', async (_failure, cause, isRetried) => {
  const answer = read();
  pending[0]?.request.onSent?.();
  const data = Buffer.alloc(64 * 1024);
  Object.assign(cause, { data });
  if (cause.cause) Object.assign(cause.cause, { data });
  const problem = new Problem('ct_unavailable', 'It failed.', { cause, retryAfter: 7 });
  pending[0]?.reject(problem);
  expect(await answer).toMatchObject({ problem });
  const cached = await read();
  expect(cached).toMatchObject({
    problem: { code: 'ct_unavailable', message: 'It failed.', retryAfter: 7 },
    cached: true,
  });
  expect(inspect(cached, { depth: 9 })).not.toContain('Buffer');
  expect(mayTryPlainHttp('problem' in cached && cached.problem)).toBe(isRetried);
});

it('returns a failure for five seconds, unless the caller wants a new answer', async () => {
  const fail = async (maxAge?: number) => {
    const answer = read(maxAge);
    pending.at(-1)?.request.onSent?.();
    pending.at(-1)?.reject(new Problem('site_timeout', 'No response.'));
    return answer;
  };
  expect(await fail()).toMatchObject({ problem: { code: 'site_timeout' }, cached: false });
  clock.advance(5000);
  expect(await read()).toMatchObject({ problem: { code: 'site_timeout' }, cached: true });
  expect(await fail(0)).toMatchObject({ cached: false });
  clock.advance(5001);
  expect(await readNow()).toMatchObject({ data: notForSale, cached: false });
});

it('does not cache a failure if the site was not contacted', async () => {
  const answer = read();
  pending[0]?.reject(new Problem('site_timeout', 'The queue is full.'));
  expect(await answer).toMatchObject({ problem: { code: 'site_timeout' } });
  expect(await readNow()).toMatchObject({ data: notForSale });
});

it('continues a read for the other callers if one disconnects', async () => {
  const leaving = new AbortController();
  const left = read(undefined, requestOf(leaving.signal));
  const stayed = read();
  leaving.abort();
  expect(await left).toMatchObject({ problem: { code: 'site_timeout' } });
  expect(pending[0]?.request.signal.aborted).toBe(false);
  pending[0]?.resolve(notForSale);
  expect(await stayed).toMatchObject({ data: notForSale });
});

it('cancels a read that no caller waits for, unless the site was contacted', async () => {
  const leaving = new AbortController();
  const left = read(undefined, requestOf(leaving.signal));
  leaving.abort();
  await left;
  expect(pending[0]?.request.signal.aborted).toBe(true);

  const alsoLeaving = new AbortController();
  const alsoLeft = read(undefined, requestOf(alsoLeaving.signal));
  pending[1]?.request.onSent?.();
  alsoLeaving.abort();
  await alsoLeft;
  expect(pending[1]?.request.signal.aborted).toBe(false);
  pending[1]?.resolve(notForSale);
  expect(await read()).toMatchObject({ data: notForSale });
  expect(await read()).toMatchObject({ cached: true });
  expect(pending).toHaveLength(2);
});
