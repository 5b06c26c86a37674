import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deprecated, deprecationIn, docsUrl, notDeprecated } from '../../support/deprecation.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';
import { registered } from '../../support/replies.ts';

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

/** What a fresh name, last asked for two days ago, gets at a gateway. */
async function afterTwoDays(
  asks: readonly [Gateway, (gateway: Gateway, name: string) => Promise<Response>][],
) {
  const name = `taken${names++}.example`;
  for (const [gateway] of asks) await gateway.get(`/v1/status?domain=${name}`);
  clock.advance(twoDays * 1000);
  const answers = await Promise.all(asks.map(([gateway, ask]) => ask(gateway, name)));
  // Lines may come after the headers: what was asked is counted when all is there.
  const texts = await Promise.all(answers.map(async (answer) => answer.text()));
  return { answers, texts, timesAsked: registry.asked(name) / asks.length };
}

async function expectSame(
  oldWay: (gateway: Gateway, name: string) => Promise<Response>,
  newWay: typeof oldWay,
  timesAsked: number,
) {
  const { answers, texts, ...asked } = await afterTwoDays([
    [old, oldWay],
    [current, newWay],
  ]);
  expect(answers.map(deprecationIn)).toEqual([deprecated, notDeprecated]);
  expect(texts[0]).toBe(texts[1]);
  expect([answers[0]?.status, asked.timesAsked]).toEqual([200, timesAsked]);
}

const status = (query: string) => (gateway: Gateway, name: string) =>
  gateway.fetch(`/v1/status?domain=${name}${query}`);
const bulk =
  (body: object, headers: Record<string, string> = {}) =>
  (gateway: Gateway, name: string) =>
    gateway.post('/v1/status/bulk', { domains: [name], ...body }, headers);

describe.each(statusRows)('GET /v1/status?$alias', ({ alias, age }) => {
  it.each(on)('=%s is max_age, and the body is the same', async (value) => {
    await expectSame(status(`&${alias}=${value}`), status(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it('without a value is on', async () => {
    await expectSame(status(`&${alias}`), status(`&max_age=${age}`), age === 0 ? 2 : 1);
  });

  it.each(off)('=%s changes nothing but the headers', async (value) => {
    await expectSame(status(`&${alias}=${value}`), status(''), 2);
  });

  it.each(['1', 'off', ''])('=%s yields to max_age', async (value) => {
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

describe('of two aliases at GET /v1/status', () => {
  it.each(['skip_cache', 'cache_skip', 'cache-skip'])('%s wins over prefer_cache', async (skip) => {
    await expectSame(status(`&prefer_cache=1&${skip}=1`), status('&max_age=0'), 2);
    await expectSame(status(`&prefer_cache=1&${skip}=no`), status('&max_age=2592000'), 1);
  });
});

describe.each(statusRows)('POST /v1/status/bulk with $alias', ({ alias, age }) => {
  const places = {
    'at top level': (value: unknown) => ({ [alias]: value }),
    'in options': (value: unknown) => ({ options: { [alias]: value } }),
  };

  describe.each(Object.entries(places))('%s', (_place, bodyWith) => {
    it.each([true, 1, 'yes', '', {}, []])(
      '%j is max_age, and the body is the same',
      async (value) => {
        await expectSame(bulk(bodyWith(value)), bulk({ max_age: age }), age === 0 ? 2 : 1);
      },
    );

    it.each([false, 0, 'off', 'no'])('%j changes nothing but the headers', async (value) => {
      await expectSame(bulk(bodyWith(value)), bulk({}), 2);
    });

    it.each([true, false])('%j yields to max_age, at top level or in options', async (value) => {
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
    });

    it('null is as if it were not there', async () => {
      const { answers, texts } = await afterTwoDays([
        [old, bulk(bodyWith(null))],
        [current, bulk({})],
      ]);
      expect([answers.map(deprecationIn), texts[0]]).toEqual([
        [notDeprecated, notDeprecated],
        texts[1],
      ]);
    });
  });

  it('is sent line by line the same', async () => {
    const lines = { accept: 'application/x-ndjson' };
    await expectSame(
      bulk({ [alias]: true }, lines),
      bulk({ max_age: age }, lines),
      age === 0 ? 2 : 1,
    );
  });
});
