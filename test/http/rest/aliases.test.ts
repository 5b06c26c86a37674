import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deprecated, deprecationIn, docsUrl, notDeprecated } from '../../support/deprecation.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { registered } from '../../support/replies.ts';

let clock: ManualClock;
let registry: FakeRegistry;
/** Two equal gateways: one gets requests with aliases, the other with their replacements. */
let old: Gateway;
let current: Gateway;

beforeAll(async () => {
  clock = manualClock();
  registry = await startFakeRegistry();
  registry.fallback(({ name }) => registered(name));
  const start = () =>
    startGateway({
      clock,
      registries: { example: registry.baseUrl },
      env: { RATE_LIMIT: '0', RDAP_RATE: '0', DOCS_URL: docsUrl },
    });
  [old, current] = [await start(), await start()];
});

afterAll(async () => {
  await old[Symbol.asyncDispose]();
  await current[Symbol.asyncDispose]();
  await registry.close();
});

const prefer = 2_592_000;
const statusAliases = { prefer_cache: prefer, skip_cache: 0, cache_skip: 0, 'cache-skip': 0 };
const statusRows = Object.entries(statusAliases).map(([alias, age]) => ({ alias, age }));

const on = ['true', '1', 'yes', 'on', '', 'null', 'whatever'];
const off = ['false', '0', 'no', 'off', 'OFF'];
const twoDays = 172_800;

let names = 0;

/** Returns the responses for a name that was last looked up two days ago. */
async function afterTwoDays(
  requests: readonly [Gateway, (gateway: Gateway, name: string) => Promise<Response>][],
) {
  const name = `taken${names++}.example`;
  for (const [gateway] of requests) await gateway.get(`/v1/status?domain=${name}`);
  clock.advance(twoDays * 1000);
  const responses = await Promise.all(requests.map(([gateway, send]) => send(gateway, name)));
  // NDJSON lines may arrive after the headers, so lookups are counted after the bodies.
  const texts = await Promise.all(responses.map(async (response) => response.text()));
  return { responses, texts, lookups: registry.requestCount(name) / requests.length };
}

async function expectSame(
  oldWay: (gateway: Gateway, name: string) => Promise<Response>,
  newWay: typeof oldWay,
  expectedLookups: number,
) {
  const { responses, texts, lookups } = await afterTwoDays([
    [old, oldWay],
    [current, newWay],
  ]);
  expect(responses.map(deprecationIn)).toEqual([deprecated, notDeprecated]);
  expect(texts[0]).toBe(texts[1]);
  expect([responses[0]?.status, lookups]).toEqual([200, expectedLookups]);
}

const status = (query: string) => (gateway: Gateway, name: string) =>
  gateway.fetch(`/v1/status?domain=${name}${query}`);
const bulk =
  (body: object, headers: Record<string, string> = {}) =>
  (gateway: Gateway, name: string) =>
    gateway.post('/v1/status/bulk', { domains: [name], ...body }, headers);

describe.each(statusRows)('GET /v1/status?$alias', ({ alias, age }) => {
  it.each(on)('=%s has the effect of max_age', async (value) => {
    await expectSame(status(`&${alias}=${value}`), status(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it('without a value has the effect of max_age', async () => {
    await expectSame(status(`&${alias}`), status(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it.each(off)('=%s has no effect but adds the headers', async (value) => {
    await expectSame(status(`&${alias}=${value}`), status(''), 2);
  });

  it.each(['1', 'off', ''])('=%s is overridden by max_age', async (value) => {
    await expectSame(
      status(`&${alias}=${value}&max_age=${twoDays}`),
      status(`&max_age=${twoDays}`),
      1,
    );
    await expectSame(
      status(`&max_age=${twoDays - 1}&${alias}=${value}`),
      status(`&max_age=${twoDays - 1}`),
      2,
    );
  });
});

describe('GET /v1/status with two aliases', () => {
  it.each(['skip_cache', 'cache_skip', 'cache-skip'])(
    'lets %s override prefer_cache',
    async (skip) => {
      await expectSame(status(`&prefer_cache=1&${skip}=1`), status('&max_age=0'), 2);
      await expectSame(status(`&prefer_cache=1&${skip}=no`), status('&max_age=2592000'), 1);
    },
  );
});

describe.each(statusRows)('POST /v1/status/bulk with $alias', ({ alias, age }) => {
  const places = {
    'at top level': (value: unknown) => ({ [alias]: value }),
    'in options': (value: unknown) => ({ options: { [alias]: value } }),
  };

  describe.each(Object.entries(places))('%s', (_place, bodyWith) => {
    it.each([true, 1, 'yes', '', {}, []])('%j has the effect of max_age', async (value) => {
      await expectSame(bulk(bodyWith(value)), bulk({ max_age: age }), age === 0 ? 2 : 1);
    });

    it.each([false, 0, 'off', 'no'])('%j has no effect but adds the headers', async (value) => {
      await expectSame(bulk(bodyWith(value)), bulk({}), 2);
    });

    it.each([true, false])(
      '%j is overridden by max_age, at top level or in options',
      async (value) => {
        await expectSame(
          bulk({ ...bodyWith(value), max_age: twoDays }),
          bulk({ max_age: twoDays }),
          1,
        );
        const { options } = { options: {}, ...bodyWith(value) };
        await expectSame(
          bulk({ ...bodyWith(value), options: { ...options, max_age: twoDays } }),
          bulk({ max_age: twoDays }),
          1,
        );
      },
    );

    it('null counts as absent', async () => {
      const { responses, texts } = await afterTwoDays([
        [old, bulk(bodyWith(null))],
        [current, bulk({})],
      ]);
      expect([responses.map(deprecationIn), texts[0]]).toEqual([
        [notDeprecated, notDeprecated],
        texts[1],
      ]);
    });
  });

  it('has the same effect with NDJSON', async () => {
    const ndjson = { accept: 'application/x-ndjson' };
    await expectSame(
      bulk({ [alias]: true }, ndjson),
      bulk({ max_age: age }, ndjson),
      age === 0 ? 2 : 1,
    );
  });
});
