import { beforeEach, describe, expect, it } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { frozenClock, type FrozenClock } from '../support/time/frozen-clock.ts';
import { concurrently, sequentially, statuses } from '../support/requests/statuses.ts';
import { problemExtensions } from '../support/checks/problem-extensions.ts';

/** 12 per minute: a burst of 12, then one every five seconds. */
const limit = { RATE_LIMIT: '12', TRUSTED_PROXIES: '127.0.0.1' };
const burst = 12;
const free = '/v1/status?domain=a.test';

let clock: FrozenClock;
let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  clock = frozenClock();
  metered = await forThisTest(startMeteredGateway, { env: limit, clock });
  customer = await metered.newCustomer();
});

describe('the rate limit per key', () => {
  it('rejects requests above the limit with the time until the next one is allowed', async () => {
    expect(statuses(await concurrently(burst, () => customer.fetch(free)))).toEqual({ 200: burst });
    const refused = await customer.fetch(free);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail: 'Rate limit exceeded: at most 12 requests per minute. Try again in 5 s.',
      retryable: true,
      retry_after: 5,
    });
    clock.advance(10_000);
    expect(statuses(await concurrently(3, () => customer.fetch(free)))).toEqual({ 200: 2, 429: 1 });
  });

  it('counts both APIs together, and HEAD like GET', async () => {
    const requests = [
      () => customer.fetch(free),
      () => customer.fetch(free, { method: 'HEAD' }),
      () => customer.graphql('{ __typename }'),
      () => customer.post('/v1/status/bulk', { domains: ['a.test'] }),
    ];
    for (let round = 0; round < burst / requests.length; round++)
      for (const send of requests) expect((await send()).status).toBe(200);
    for (const send of requests) expect((await send()).status).toBe(429);
  });

  it('does not affect other keys', async () => {
    await concurrently(burst + 1, () => customer.fetch(free));
    expect((await (await metered.newCustomer()).fetch(free)).status).toBe(200);
  });

  it('rejects GraphQL requests with a GraphQL error', async () => {
    await concurrently(burst, () => customer.fetch(free));
    const refused = await customer.graphql('{ __typename }');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toEqual({
      errors: [
        {
          message: expect.any(String),
          extensions: problemExtensions('rate_limited', { retryAfter: 5 }),
        },
      ],
    });
  });
});

describe('the three kinds of rate limit headers', () => {
  it('report the same remaining requests', async () => {
    const answer = await customer.fetch(free);
    expect(limitsIn(answer)).toEqual({
      policy: '"default";q=12;w=60',
      limit: '"default";r=11;t=5',
      old: ['12', '11', resetAt(5000)],
    });
    await concurrently(burst - 1, () => customer.fetch(free));
    const refused = await customer.fetch(free);
    expect(limitsIn(refused)).toEqual({
      policy: '"default";q=12;w=60',
      limit: '"default";r=0;t=60',
      old: ['12', '0', resetAt(60_000)],
    });
  });

  it('report exactly how many requests succeed before the next one is rejected', async () => {
    const first = await remainingAfterOne();
    expect(first).toBe(burst - 1);
    expect(statuses(await concurrently(first + 1, () => customer.fetch(free)))).toEqual({
      200: first,
      429: 1,
    });
    clock.advance(32_000); // refills six, and a part of the seventh
    const later = await remainingAfterOne();
    expect(later).toBe(5);
    expect(statuses(await concurrently(later + 1, () => customer.fetch(free)))).toEqual({
      200: later,
      429: 1,
    });
  });

  const requests: readonly (readonly [
    what: string,
    status: number,
    send: () => Promise<Response>,
  ])[] = [
    ['a buffered response', 200, () => customer.fetch(free)],
    ['HEAD', 200, () => customer.fetch(free, { method: 'HEAD' })],
    ['GraphQL', 200, () => customer.graphql('{ __typename }')],
    [
      'a stream',
      200,
      () =>
        customer.post(
          '/v1/status/bulk',
          { domains: ['a.test'] },
          { accept: 'application/x-ndjson' },
        ),
    ],
    ['bad parameters', 400, () => customer.fetch('/v1/status')],
    ['a GraphQL syntax error', 200, () => customer.graphql('{')],
    [
      'an unknown key',
      401,
      () => customer.fetch(free, { headers: { 'x-api-key': generateKey() } }),
    ],
    ['no key', 401, () => metered.gateway.fetch(free)],
    [
      'no credits',
      402,
      async () => (await metered.newCustomer({ credits: 0 })).fetch('/v1/status?domain=a.example'),
    ],
    [
      'an unsupported media type',
      415,
      () => customer.fetch('/v1/status/bulk', { method: 'POST', body: 'x' }),
    ],
    ['a registry that fails', 502, () => customer.fetch('/v1/rdap?domain=down.test')],
  ];
  it.each(requests)('are sent with %s', async (_, status, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(limitsIn(answer)).toEqual({
      policy: '"default";q=12;w=60',
      limit: expect.stringMatching(/^"default";r=\d+;t=\d+$/),
      old: ['12', expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d{10}$/)],
    });
  });

  it('are exposed to browsers', async () => {
    const exposed = (await customer.fetch(free)).headers
      .get('access-control-expose-headers')
      ?.toLowerCase()
      .split(', ');
    const names = [
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ];
    const credits = ['requested', 'charged', 'refunded', 'remaining'].map(
      (name) => `x-credits-${name}`,
    );
    expect(exposed).toEqual(expect.arrayContaining([...names, ...credits, 'retry-after']));
  });
});

describe('without a key, the rate limit', () => {
  it('applies per address, and nothing is metered', async () => {
    await using open = await startGateway({ env: { ...limit, AUTH: 'open' }, clock });
    const send = (address: string) => open.fetch(free, { headers: { 'x-forwarded-for': address } });
    const answers = await concurrently(burst + 1, () => send('192.0.2.1'));
    expect(statuses(answers)).toEqual({ 200: burst, 429: 1 });
    for (const answer of answers) expect(answer.headers.get('x-credits-requested')).toBeNull();
    expect((await send('192.0.2.2')).status).toBe(200);
  });

  it('is disabled by RATE_LIMIT=0, also in the headers', async () => {
    await using open = await startGateway({ env: { RATE_LIMIT: '0', AUTH: 'open' } });
    const answers = await concurrently(100, () => open.fetch(free));
    expect(statuses(answers)).toEqual({ 200: 100 });
    for (const answer of answers) expect(answer.headers.get('ratelimit')).toBeNull();
  });
});

/** Sends an unknown key. Sent sequentially, as an invalid key counts once it was found to be invalid. */
const guess = (address: string) =>
  metered.gateway.fetch(free, {
    headers: { 'x-api-key': generateKey(), 'x-forwarded-for': address },
  });

describe('requests with invalid keys', () => {
  it('are limited per address, whatever the keys', async () => {
    expect(statuses(await sequentially(burst + 5, () => guess('192.0.2.1')))).toEqual({
      401: burst,
      429: 5,
    });
    expect((await guess('192.0.2.2')).status).toBe(401);
    clock.advance(5000);
    expect(statuses(await sequentially(2, () => guess('192.0.2.1')))).toEqual({ 401: 1, 429: 1 });
  });

  it('are limited per IPv6 /64, including mistyped keys', async () => {
    for (let number = 0; number < burst; number++) {
      const key = number % 2 === 0 ? generateKey() : 'rgw_mistyped';
      const headers = { 'x-forwarded-for': `2001:db8::${number}`, 'x-api-key': key };
      expect((await metered.gateway.fetch(free, { headers })).status).toBe(401);
    }
    expect((await guess('2001:db8::ffff')).status).toBe(429);
    expect((await guess('2001:db8:0:1::1')).status).toBe(401);
  });

  it('are counted separately from requests without a key, which do not affect valid keys', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    expect(
      statuses(await sequentially(burst + 1, () => metered.gateway.fetch(free, { headers }))),
    ).toEqual({ 401: burst, 429: 1 });
    expect((await customer.fetch(free, { headers })).status).toBe(200);
  });

  it('do not affect valid keys from the same address, even with 400 at once and 16 every five seconds', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const valid = () => customer.fetch(free, { headers });
    const [first, ...attack] = await Promise.all([
      valid(),
      ...Array.from({ length: 400 }, () => guess('192.0.2.1')),
    ]);
    expect(first?.status).toBe(200);
    expect(statuses(attack)).toEqual({ 401: burst, 429: 400 - burst });
    for (let round = 0; round < 20; round++) {
      clock.advance(5000);
      const [answer] = await Promise.all([
        valid(),
        ...Array.from({ length: 16 }, () => guess('192.0.2.1')),
      ]);
      expect(answer?.status).toBe(200);
    }
  });

  it('do not affect requests without a key from the same address', async () => {
    await using open = await startGateway({ env: { AUTH: 'open', RATE_LIMIT: '12' }, clock });
    const wrong = { headers: { 'x-api-key': generateKey() } };
    expect(statuses(await sequentially(burst + 1, () => open.fetch(free, wrong)))).toEqual({
      401: burst,
      429: 1,
    });
    expect((await open.fetch(free)).status).toBe(200);
  });

  it('cannot evade the limit with a forged X-Forwarded-For', async () => {
    await using plain = await startGateway({ env: { AUTH: 'required', RATE_LIMIT: '12' }, clock });
    const answers = [];
    for (let number = 0; number <= burst; number++) {
      const headers = { 'x-api-key': generateKey(), 'x-forwarded-for': `192.0.2.${number}` };
      answers.push(await plain.fetch(free, { headers }));
    }
    expect(statuses(answers)).toEqual({ 401: burst, 429: 1 });
    expect(
      statuses(await sequentially(burst + 1, () => guess('192.0.2.99, 198.51.100.7'))),
    ).toEqual({ 401: burst, 429: 1 });
    expect((await guess('198.51.100.7')).status).toBe(429);
  });
});

async function remainingAfterOne(): Promise<number> {
  return Number((await customer.fetch(free)).headers.get('x-ratelimit-remaining'));
}

function resetAt(ms: number): string {
  return String(Math.ceil((clock.now() + ms) / 1000));
}

function limitsIn({ headers }: Response): object {
  return {
    policy: headers.get('ratelimit-policy'),
    limit: headers.get('ratelimit'),
    old: ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)),
  };
}
