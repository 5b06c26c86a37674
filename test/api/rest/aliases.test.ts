import { describe, expect, it } from 'vitest';
import {
  deprecated,
  deprecationIn,
  docsUrl,
  notDeprecated,
} from '../../support/checks/deprecation.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { registered } from '../../support/bodies/replies.ts';

const clock = manualClock();
const registry = await forThisFile(startFakeRegistry);
registry.fallback(({ name }) => registered(name));
const start = () =>
  startGateway({
    clock,
    registries: { example: registry.baseUrl },
    env: { RATE_LIMIT: '0', RDAP_RATE: '0', DOCS_URL: docsUrl },
  });
const old = await forThisFile(start);
const current = await forThisFile(start);

const prefer = 2_592_000;
const statusAliases = { prefer_cache: prefer, skip_cache: 0, cache_skip: 0, 'cache-skip': 0 };
const statusRows = Object.entries(statusAliases).map(([alias, age]) => ({ alias, age }));

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

it.each(statusRows)('GET /v1/status?$alias has the effect of max_age', async ({ alias, age }) => {
  const lookups = age === 0 ? 2 : 1;
  await expectSame(status(`&${alias}=true`), status(`&max_age=${age}`), lookups);
  await expectSame(status(`&${alias}`), status(`&max_age=${age}`), lookups);
});

it.each(statusRows)(
  'GET /v1/status?$alias has no effect but adds the headers if it is off',
  async ({ alias }) => {
    await expectSame(status(`&${alias}=off`), status(''), 2);
  },
);

it.each(statusRows)('GET /v1/status?$alias is overridden by max_age', async ({ alias }) => {
  await expectSame(status(`&${alias}=1&max_age=${twoDays}`), status(`&max_age=${twoDays}`), 1);
  await expectSame(
    status(`&max_age=${twoDays - 1}&${alias}=off`),
    status(`&max_age=${twoDays - 1}`),
    2,
  );
});

it('GET /v1/status lets an alias that skips the cache override prefer_cache', async () => {
  await expectSame(status('&prefer_cache=1&skip_cache=1'), status('&max_age=0'), 2);
  await expectSame(status('&prefer_cache=1&skip_cache=no'), status('&max_age=2592000'), 1);
});

describe.each(statusRows)('POST /v1/status/bulk with $alias', ({ alias, age }) => {
  const places = {
    'at top level': (value: unknown) => ({ [alias]: value }),
    'in options': (value: unknown) => ({ options: { [alias]: value } }),
  };
  const lookups = age === 0 ? 2 : 1;

  it.each(Object.entries(places))('%s has the effect of max_age', async (_place, bodyWith) => {
    await expectSame(bulk(bodyWith(true)), bulk({ max_age: age }), lookups);
    await expectSame(bulk(bodyWith(false)), bulk({}), 2);
  });

  it.each(Object.entries(places))('%s is overridden by max_age', async (_place, bodyWith) => {
    const { options } = { options: {}, ...bodyWith(true) };
    const replacement = bulk({ max_age: twoDays });
    await expectSame(bulk({ ...bodyWith(true), max_age: twoDays }), replacement, 1);
    await expectSame(
      bulk({ ...bodyWith(true), options: { ...options, max_age: twoDays } }),
      replacement,
      1,
    );
  });

  it('has the same effect with NDJSON', async () => {
    const ndjson = { accept: 'application/x-ndjson' };
    await expectSame(bulk({ [alias]: true }, ndjson), bulk({ max_age: age }, ndjson), lookups);
  });
});

it('POST /v1/status/bulk ignores an alias that is null', async () => {
  const { responses, texts } = await afterTwoDays([
    [old, bulk({ options: { skip_cache: null } })],
    [current, bulk({})],
  ]);
  expect(responses.map(deprecationIn)).toEqual([notDeprecated, notDeprecated]);
  expect(texts[0]).toBe(texts[1]);
});
