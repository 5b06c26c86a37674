import { beforeEach, expect, it } from 'vitest';
import { Problem } from '../../../src/domain/problems.ts';
import type { ForSale } from '../../../src/domain/site/dns-records.ts';
import type { RobotsFile } from '../../../src/domain/site/robots/robots-file.ts';
import type { ReadFact, SiteRequest } from '../../../src/domain/site/site-facts.ts';
import { parseSiteHost } from '../../../src/domain/site/site-target.ts';
import {
  CachedSiteReader,
  type FactReaders,
} from '../../../src/sources/site/cached-site-reader.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';

const day = 24 * 60 * 60;
const query = { target: parseSiteHost('shop.example') };
const notForSale: ForSale = { isForSale: false, offers: [] };
const unused = () => Promise.reject(new Error('not read in this test'));

/** A read of the site that the test completes. */
interface PendingRead {
  readonly request: SiteRequest;
  resolve(data: ForSale): void;
  reject(error: unknown): void;
}

let clock: ManualClock;
let pending: PendingRead[];
let robots: RobotsFile['access'];
let reader: CachedSiteReader;

beforeEach(() => {
  clock = manualClock();
  pending = [];
  robots = 'rules';
  const forSale: ReadFact<'forSale'> = (_query, request) => {
    const { promise, resolve, reject } = Promise.withResolvers<ForSale>();
    const send = (data: ForSale) => {
      request.onSent?.();
      resolve(data);
    };
    pending.push({ request, resolve: send, reject });
    return promise;
  };
  const readers: FactReaders = {
    forSale,
    robots: async (_query, request) => {
      request.onSent?.();
      return {
        url: 'https://shop.example/robots.txt',
        finalUrl: null,
        status: 503,
        access: robots,
        groups: [],
        sitemaps: [],
        isTruncated: false,
      };
    },
    page: unused,
    tls: unused,
    agentSignals: unused,
    dns: unused,
    certificates: unused,
  };
  reader = new CachedSiteReader({
    readers,
    clock,
    refusalOf: () => undefined,
    isSandbox: (host) => host.endsWith('.test'),
  });
});

const requestOf = (signal = new AbortController().signal): SiteRequest => ({
  signal,
  account: 'a',
  queueDeadline: Infinity,
});
const read = (maxAge?: number, request = requestOf()) =>
  reader.read('forSale', query, maxAge, request);

const readRobots = (maxAge?: number) => reader.read('robots', query, maxAge, requestOf());

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

it('shares a read between concurrent callers, whatever their maximum age', async () => {
  const answers = [read(), read(0), read(5)];
  expect(pending).toHaveLength(1);
  pending[0]?.resolve(notForSale);
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ cached: false });
});

it('tells every caller of a shared read that the site was contacted', async () => {
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

it('does not remember a failure if the site was not contacted', async () => {
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
