import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { registered } from '../support/replies.ts';

let clock: ManualClock;
let registry: FakeRegistry;
/** Two of a kind: one is asked in the old way, one in the new, and nothing else may differ. */
let old: Gateway;
let current: Gateway;

beforeAll(async () => {
  clock = manualClock();
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  const start = () =>
    startGateway({ clock, registries: { example: registry.baseUrl }, env: { RATE_LIMIT: '0', RDAP_RATE: '0', DOCS_URL: docs } });
  [old, current] = [await start(), await start()];
});

afterAll(async () => {
  await old[Symbol.asyncDispose]();
  await current[Symbol.asyncDispose]();
  await registry.close();
});

const docs = 'https://docs.example';
const deprecated = {
  deprecation: '@1791590400',
  sunset: 'Sun, 10 Oct 2027 00:00:00 GMT',
  link: '<https://docs.example/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"',
};
const none = { deprecation: null, sunset: null, link: null };
const deprecationIn = ({ headers }: Response) => Object.fromEntries(Object.keys(none).map((name) => [name, headers.get(name)]));

const prefer = 2_592_000;
const statusAliases = { prefer_cache: prefer, skip_cache: 0, cache_skip: 0, 'cache-skip': 0 };
const statusRows = Object.entries(statusAliases).map(([alias, age]) => ({ alias, age }));

/** The other rows of section 6, all at paths that this gateway knows by name only. */
const unserved = [
  ['subdomains', 'prefer_cache', 'max_age=2592000'],
  ...'tech categorize identity-assets identity-resolution url-intelligence agent-readiness robots'
    .split(' ')
    .map((path) => [path, 'skip_cache', 'max_age=0']),
  ['ssl/deep-scan', 'refresh', 'max_age=0'],
  ['email/blacklist', 'offset', 'cursor=abc'],
].map(([path = '', alias = '', replacement]) => ({ path: `/v1/${path}`, alias, replacement }));

const on = ['true', '1', 'yes', 'on', '', 'null', 'whatever'];
const off = ['false', '0', 'no', 'off', 'OFF'];
const twoDays = 172_800;

let names = 0;

/** What a fresh name, last asked for two days ago, gets at a gateway. */
async function afterTwoDays(asks: readonly [Gateway, (gateway: Gateway, name: string) => Promise<Response>][]) {
  const name = `taken${names++}.example`;
  for (const [gateway] of asks) await gateway.get(`/v1/status?domain=${name}`);
  clock.advance(twoDays * 1000);
  const answers = await Promise.all(asks.map(([gateway, ask]) => ask(gateway, name)));
  // Lines may come after the headers: what was asked is counted when all is there.
  const texts = await Promise.all(answers.map(async (answer) => answer.text()));
  return { answers, texts, timesAsked: registry.asked(name) / asks.length };
}

async function expectSame(oldWay: (gateway: Gateway, name: string) => Promise<Response>, newWay: typeof oldWay, timesAsked: number) {
  const { answers, texts, ...asked } = await afterTwoDays([
    [old, oldWay],
    [current, newWay],
  ]);
  expect(answers.map(deprecationIn)).toEqual([deprecated, none]);
  expect(texts[0]).toBe(texts[1]);
  expect([answers[0]?.status, asked.timesAsked]).toEqual([200, timesAsked]);
}

describe.each(statusRows)('GET /v1/status?$alias', ({ alias, age }) => {
  const ask = (query: string) => (gateway: Gateway, name: string) => gateway.fetch(`/v1/status?domain=${name}${query}`);

  it.each(on)('=%s is max_age, and the body is the same', async (value) => {
    await expectSame(ask(`&${alias}=${value}`), ask(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it('without a value is on', async () => {
    await expectSame(ask(`&${alias}`), ask(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it.each(off)('=%s changes nothing but the headers', async (value) => {
    await expectSame(ask(`&${alias}=${value}`), ask(''), 2);
  });

  it.each(['1', 'off', ''])('=%s yields to max_age', async (value) => {
    await expectSame(ask(`&${alias}=${value}&max_age=${twoDays}`), ask(`&max_age=${twoDays}`), 1);
    await expectSame(ask(`&max_age=${twoDays - 1}&${alias}=${value}`), ask(`&max_age=${twoDays - 1}`), 2);
  });
});

describe('of two aliases at GET /v1/status', () => {
  const ask = (query: string) => (gateway: Gateway, name: string) => gateway.fetch(`/v1/status?domain=${name}&${query}`);

  it.each(['skip_cache', 'cache_skip', 'cache-skip'])('%s wins over prefer_cache', async (skip) => {
    await expectSame(ask(`prefer_cache=1&${skip}=1`), ask('max_age=0'), 2);
    await expectSame(ask(`prefer_cache=1&${skip}=no`), ask('max_age=2592000'), 1);
  });
});

describe.each(statusRows)('POST /v1/status/bulk with $alias', ({ alias, age }) => {
  const ask = (body: object) => (gateway: Gateway, name: string) => gateway.post('/v1/status/bulk', { domains: [name], ...body });
  const places = {
    'at top level': (value: unknown) => ({ [alias]: value }),
    'in options': (value: unknown) => ({ options: { [alias]: value } }),
  };

  describe.each(Object.entries(places))('%s', (_place, bodyWith) => {
    it.each([true, 1, 'yes', '', {}, []])('%j is max_age, and the body is the same', async (value) => {
      await expectSame(ask(bodyWith(value)), ask({ max_age: age }), age === 0 ? 2 : 1);
    });

    it.each([false, 0, 'off', 'no'])('%j changes nothing but the headers', async (value) => {
      await expectSame(ask(bodyWith(value)), ask({}), 2);
    });

    it.each([true, false])('%j yields to max_age, at top level or in options', async (value) => {
      await expectSame(ask({ ...bodyWith(value), max_age: twoDays }), ask({ max_age: twoDays }), 1);
      const { options } = { options: {}, ...bodyWith(value) };
      await expectSame(ask({ ...bodyWith(value), options: { ...options, max_age: twoDays } }), ask({ max_age: twoDays }), 1);
    });

    it('null is as if it were not there', async () => {
      const { answers, texts } = await afterTwoDays([
        [old, ask(bodyWith(null))],
        [current, ask({})],
      ]);
      expect([answers.map(deprecationIn), texts[0]]).toEqual([[none, none], texts[1]]);
    });
  });

  it('is sent line by line the same', async () => {
    const lines = (body: object) => (gateway: Gateway, name: string) =>
      gateway.post('/v1/status/bulk', { domains: [name], ...body }, { accept: 'application/x-ndjson' });
    await expectSame(lines({ [alias]: true }), lines({ max_age: age }), age === 0 ? 2 : 1);
  });
});

describe.each(unserved)('GET $path?$alias', ({ path, alias, replacement }) => {
  it.each([...on, ...off])('=%s is answered as its replacement, with the headers', async (value) => {
    for (const more of ['', '&max_age=60']) {
      const oldWay = await old.fetch(`${path}?${alias}=${value}${more}`);
      const newWay = await old.fetch(`${path}?${replacement}${more}`);
      expect([oldWay.status, deprecationIn(oldWay), deprecationIn(newWay)]).toEqual([501, deprecated, none]);
      expect(await bodyWithoutId(oldWay)).toEqual(await bodyWithoutId(newWay));
    }
  });

  it('is an alias to HEAD too', async () => {
    const answer = await old.fetch(`${path}?${alias}=1`, { method: 'HEAD' });
    expect([answer.status, deprecationIn(answer)]).toEqual([501, deprecated]);
  });
});

describe('GET /v1/certificates?cursor', () => {
  it.each([
    ['0', deprecated],
    ['25', deprecated],
    ['-1', deprecated],
    ['MTI=', none],
    ['a25', none],
    ['', none],
  ])('=%s is an alias only when it is a number', async (cursor, headers) => {
    const answer = await old.fetch(`/v1/certificates?cursor=${cursor}`);
    expect([answer.status, deprecationIn(answer)]).toEqual([501, headers]);
  });
});

it.each([
  '/v1/rdap?domain=taken.example&skip_cache=1&prefer_cache=1',
  '/v1/status?domain=taken.example&refresh=1&offset=3&cursor=3&SKIP_CACHE=1',
  '/v1/tech?prefer_cache=1&cache_skip=1',
  '/v1/subdomains?skip_cache=1',
  '/v1/certificates?offset=1',
  '/v1/status/skip_cache',
])('what is an alias elsewhere is none here: %s', async (path) => {
  expect(deprecationIn(await old.fetch(path))).toEqual(none);
});

it('the operator reads once an hour who used which alias, and how often', async () => {
  const { memoryLog } = await import('../support/memory-log.ts');
  const { log, lines } = memoryLog();
  const hours = manualClock();
  await using watched = await startGateway({ clock: hours, log });
  const reported = () =>
    lines.filter(({ msg }: Json) => msg === 'deprecated aliases were used').map(({ path, alias, uses }: Json) => [path, alias, uses]);
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=0&prefer_cache');
  await watched.fetch('/v1/status?domain=taken.test&skip_cache=1');
  await watched.post('/v1/status/bulk', { domains: 'wrong', options: { 'cache-skip': true } });
  await watched.fetch('/v1/robots?skip_cache');
  hours.advance(3_599_999);
  expect(reported()).toEqual([]);
  hours.advance(1);
  const first = [
    ['/v1/status', 'prefer_cache', 1],
    ['/v1/status', 'skip_cache', 2],
    ['/v1/status/bulk', 'cache-skip', 1],
    ['/v1/robots', 'skip_cache', 1],
  ];
  expect(reported()).toEqual(first);
  hours.advance(2 * 3_600_000);
  await watched.fetch('/v1/robots?skip_cache');
  hours.advance(3_600_000);
  expect(reported()).toEqual([...first, ['/v1/robots', 'skip_cache', 1]]);
});

async function bodyWithoutId(answer: Response): Promise<Json> {
  const { request_id: _its, ...body } = (await answer.json()) as Json;
  return body;
}
