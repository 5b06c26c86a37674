import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  type Caller,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { notFound } from '../support/bodies/replies.ts';
import { frozenClock, type FrozenClock } from '../support/time/frozen-clock.ts';
import { sequentially, statuses, concurrently } from '../support/requests/statuses.ts';

// Limits: 600 requests per minute; free work of 1.2 s in a burst (6,000 names), and a fifth of a core.
let clock: FrozenClock;
let metered: MeteredGateway;
let customer: Customer;
let other: Customer;

beforeEach(async () => {
  clock = frozenClock();
  metered = await forThisTest(startMeteredGateway, { env: { RATE_LIMIT: '600' }, clock });
  customer = await metered.newCustomer({ credits: 1 });
  other = await metered.newCustomer();
});

const path = '/v1/status/bulk';
const list = (count: number, nameOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => nameOf(index));
const fullWidth = (text: string) =>
  text.replace(/[a-z0-9]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
const tooMany = { domains: list(1600, (index) => fullWidth(`n${index}.example`)) };
const inGraphql = 'query ($domains: [String!]) { domains(domains: $domains) { status } }';
const codeOf = async (response: Promise<Response>) =>
  (await (await response).json()).errors?.[0].extensions.code;

const aliased = (count: number, field: string) =>
  `{ ${list(count, (index) => `a${index}: ${field}`).join(' ')} }`;

/** Returns an invalid document of about 1,100 tokens. */
const longDocument = (index: number) =>
  `{ ${list(45, (field) => `f${index}x${field}: nothing(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)`).join(' ')} }`;

describe('work that costs no credits', () => {
  it.each<[string, number, (caller: Caller) => Promise<Response>]>([
    ['1,600 full-width names, which are too many', 400, (caller) => caller.post(path, tooMany)],
    [
      '40 names under each of 40 TLDs',
      400,
      (caller) =>
        caller.post(path, {
          names: list(40, (index) => `bücher${index}`),
          tlds: list(40, (index) => `zz${index}`),
        }),
    ],
    [
      '1,600 names through GraphQL',
      400,
      (caller) =>
        caller.graphql(inGraphql, tooMany, { accept: 'application/graphql-response+json' }),
    ],
    [
      '480 internationalised names without a registry',
      200,
      (caller) => caller.post(path, { domains: list(480, (index) => `bücher-${index}.zz`) }),
    ],
    [
      '480 internationalised names through GraphQL',
      200,
      (caller) =>
        caller.graphql(inGraphql, { domains: list(480, (index) => `bücher-${index}.zz`) }),
    ],
    [
      '480 names that exceed the remaining credits',
      402,
      (caller) => caller.post(path, { domains: list(480, (index) => `n${index}.example`) }),
    ],
  ])('is limited by the number of names parsed: %s', async (_what, status, send) => {
    const responses = await sequentially(20, () => send(customer));
    const counted = statuses(responses);
    const perRequest = status === 400 ? 1600 : 480;
    expect(counted).toEqual({
      [status]: Math.ceil(6000 / perRequest),
      429: 20 - Math.ceil(6000 / perRequest),
    });
    const seconds = Number(responses.at(-1)?.headers.get('retry-after'));
    expect(seconds > 0).toBe(true);
    expect(statuses([await send(other)])).toEqual({ [status === 402 ? 200 : status]: 1 });
    clock.advance(seconds * 1000);
    expect((await send(customer)).status).toBe(status);
  });

  it('is limited by the number of tokens in new documents, valid or not', async () => {
    let index = 0;
    const codes = [];
    for (; index < 30; index++) codes.push(await codeOf(customer.graphql(longDocument(index))));
    expect(codes.slice(0, 15)).toEqual(Array(15).fill('invalid_query'));
    expect(codes.at(-1)).toBe('rate_limited');
    expect(await codeOf(other.graphql(longDocument(0)))).toBe('invalid_query');
    expect(await codeOf(customer.graphql('{ account { name } }'))).toBe('rate_limited');
    clock.advance(60_000);
    expect(await codeOf(customer.graphql('{ account { name } }'))).toBeUndefined();
  });

  it('is limited by the number of tokens in documents that a key does not list', async () => {
    const page = await metered.newCustomer({ documents: [] });
    const codes = [];
    for (let index = 0; index < 30; index++)
      codes.push(await codeOf(page.graphql(longDocument(index))));
    expect(codes.slice(0, 15)).toEqual(Array(15).fill('forbidden_operation'));
    expect(codes.at(-1)).toBe('rate_limited');
  });

  it('is limited by the number of introspection queries', async () => {
    const schema = '{ __schema { types { name } } }';
    await sequentially(3, () => customer.post(path, tooMany)); // leaves work for 1,200 names
    expect(statuses(await sequentially(15, () => customer.graphql(schema)))).toEqual({
      200: 12,
      429: 3,
    });
    expect(statuses(await sequentially(15, () => other.graphql(schema)))).toEqual({ 200: 15 });
  });

  it.each<[string, string, number]>([
    ['20 pages of TLDs', aliased(20, 'tlds(first: 100) { nodes { label } }'), 17],
    ['a page of 10,000 domains', '{ disposableMailDomains(first: 10000) { nodes } }', 30],
    ['10 pages of domains', aliased(10, 'disposableMailDomains(first: 1000) { nodes }'), 30],
    ['the schema as text', '{ _service { sdl } }', 60],
  ])('is limited by lists, of the same document too: %s', async (_what, query, allowed) => {
    let served = 0;
    while (served < 100 && (await codeOf(customer.graphql(query))) === undefined) served += 1;
    expect([served <= allowed, served > allowed / 2]).toEqual([true, true]);
    expect(await codeOf(other.graphql(query))).toBeUndefined();
  });

  it('is limited by the lists of REST, all of whose pages can be read', async () => {
    const page = '/v1/email/blacklist?limit=10000';
    const responses = await sequentially(40, () =>
      metered.gateway.fetch(page, { headers: { 'x-api-key': customer.key } }),
    );
    expect(statuses(responses)[200]).toBeGreaterThan(12); // the list has 121,000 domains
    expect(statuses(responses)[429]).toBeGreaterThan(0);
  });

  it.each<[string, number, (caller: Caller, feed: string) => Promise<Response>]>([
    ['names', 40, (caller) => caller.fetch('/v1/watches?limit=500')],
    ['their calendar', 40, (caller) => caller.fetch('/v1/calendar.ics')],
    ['changes', 240, (caller) => caller.fetch('/v1/changes')],
    [
      'events of MCP',
      240,
      (caller) =>
        caller.post('/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'events/poll',
          params: { name: 'domain.changed' },
        }),
    ],
    ['a feed, by its address', 200, (_caller, feed) => fetch(feed)],
  ])('is limited by what a caller watches: %s', async (_what, allowed, send) => {
    await customer.post('/v1/watches', { domains: list(100, (index) => `watched-${index}.test`) });
    const feed = await (await customer.post('/v1/feeds', {})).json();
    await sequentially(3, () => customer.post(path, tooMany)); // leaves 240 ms
    let served = 0;
    for (; served <= allowed; served++)
      if ((await (await send(customer, feed.calendar)).text()).includes('rate_limited')) break;
    expect([served <= allowed, served > allowed / 2]).toEqual([true, true]);
  });

  it.each([
    aliased(45, 'disposableMailDomains(first: 1000) { nodes }'),
    `{ tlds(first: 100) { nodes { ${list(30, (index) => `a${index}: policyDetail`).join(' ')} } } }`,
    `{ ${list(10, (index) => `a${index}: tlds(first: 100) { ...f }`).join(' ')} } fragment f on TldConnection { ${list(5, (index) => `b${index}: nodes { label }`).join(' ')} }`,
  ])('includes at most 10,000 fields of lists: %s', async (query) => {
    expect(await codeOf(other.graphql(query))).toBe('query_too_large');
  });

  it.each([
    '{ a: __schema { types { name } } b: __schema { types { name } } }',
    '{ __schema { types { name } } __type(name: "Domain") { name } }',
    '{ __schema { types { name } } ...f } fragment f on Query { t: __type(name: "Domain") { name } }',
    '{ __schema { a: types { name } b: types { name } } }',
    '{ __schema { types { ...f } } } fragment f on __Type { a: fields { name } fields { name } }',
    '{ s: _service { a: sdl b: sdl } }',
    'query { ...r } fragment r on Query { __schema { directives { args { name } } d: directives { args { name } } } }',
  ])('includes each introspection field once per request: %s', async (query) => {
    expect(await codeOf(other.graphql(query))).toBe('query_too_large');
  });

  it.each<[string, number, (caller: Caller, call: number) => Promise<Response>]>([
    [
      '480 verdicts in bulk', // 0.9 ms each, and 0.2 ms for the entry
      3,
      (caller, call) =>
        caller.post(path, { domains: list(480, (index) => `free${call}-${index}.test`) }),
    ],
    [
      '20 single verdicts', // 18 ms
      67,
      (caller, call) =>
        caller.graphql(
          `{ ${list(20, (index) => `f${index}: domain(name: "free${call}-${index}.test") { status }`).join(' ')} }`,
        ),
    ],
    [
      '50 networks', // 60 ms
      20,
      (caller) =>
        caller.graphql(
          `{ ${list(50, (index) => `n${index}: ip(address: "192.0.2.${index}", maxAge: 0) { found problem { code } }`).join(' ')} }`,
        ),
    ],
  ])('is limited by the lookups in the sandbox: %s', async (_what, allowed, send) => {
    let served = 0;
    for (; served < 200; served++) {
      const body = await (await send(customer, served)).text();
      if (body.includes('rate_limited')) break;
    }
    // Documents count too.
    expect([served <= allowed, served > allowed / 2]).toEqual([true, true]);
    expect(await (await send(other, 0)).text()).not.toContain('rate_limited');
    expect((await customer.balance()).used).toBe(0);
  });

  it('does not include stored answers of the sandbox, except for their entries', async () => {
    const domains = list(480, (index) => `free${index}.test`);
    const responses = await sequentially(8, () => customer.post(path, { domains }));
    expect(statuses(responses)).toEqual({ 200: 8 });
  });

  it('includes scans of sites in the sandbox, by their processor time', async () => {
    const scan = `{ ${list(41, (index) => `t${index}: site(host: "taken${index}.test") { tls { cached } }`).join(' ')} }`;
    expect((await customer.graphql(scan)).status).toBe(200);
    expect(await codeOf(customer.graphql(scan))).toBe('rate_limited');
  });

  it('does not include charged lookups', async () => {
    metered.registry.on(/^n/, notFound());
    const third = await metered.newCustomer();
    const domains = list(320, (index) => `n${index}.example`);
    // 6,400 names each.
    const served = [
      await sequentially(20, () => other.post(path, { domains })),
      await sequentially(20, () => other.graphql(inGraphql, { domains })),
      await concurrently(20, () => third.post(path, { domains })),
    ];
    expect(served.map(statuses)).toEqual([{ 200: 20 }, { 200: 20 }, { 200: 20 }]);
  });
});

/**
 * Returns the duration of a request and that of the longest event loop iteration during it, in
 * milliseconds. No other request is served within an iteration.
 */
async function longestIteration(
  request: () => Promise<Response>,
): Promise<{ totalMs: number; iterationMs: number }> {
  const startedAt = performance.now();
  let lastIteration = startedAt;
  let iterationMs = 0;
  let ended = false;
  const measure = () => {
    iterationMs = Math.max(iterationMs, performance.now() - lastIteration);
    lastIteration = performance.now();
    if (!ended) setImmediate(measure);
  };
  setImmediate(measure);
  await (await request()).text();
  ended = true;
  return { totalMs: performance.now() - startedAt, iterationMs };
}

describe('a long list', () => {
  const searchQuery =
    'query ($tlds: [String!]) { domains(name: "例えば", tlds: $tlds) { status } }';

  it.each<[string, (gateway: Gateway) => Promise<Response>]>(
    Object.entries({
      bulk: (gateway) =>
        gateway.post(path, {
          names: list(80, (index) => `例え${index}`),
          tlds: list(80, (index) => `tld${index}`),
        }),
      GraphQL: (gateway) =>
        gateway.post('/graphql', {
          query: searchQuery,
          variables: { tlds: list(5000, (index) => `tld${index}`) },
        }),
    }),
  )('is parsed over several event loop iterations: %s', async (_what, send) => {
    await using gateway = await startGateway({ env: { MAX_LOOKUPS: '2000' } });
    const { totalMs, iterationMs } = await longestIteration(() => send(gateway));
    expect(iterationMs).toBeLessThan(totalMs / 3);
  });
});
