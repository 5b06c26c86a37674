import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/metered-gateway.ts';

const app = 'https://app.example';
const second = 'http://localhost:3000';

let metered: MeteredGateway;
let customer: Customer;
beforeAll(async () => {
  metered = await startMeteredGateway({ env: { RATE_LIMIT: '600' } });
  customer = await metered.newCustomer({ origins: [app, second], credits: 1000 });
});
afterAll(() => metered[Symbol.asyncDispose]());

/** What a browser says of where a request comes from, and what comes of it. */
const requests: readonly (readonly [
  from: string,
  headers: Record<string, string>,
  status: 200 | 403,
])[] = [
  ['a page on its list', { origin: app }, 200],
  ['another page on its list', { origin: second }, 200],
  ['a page that is not on it', { origin: 'https://evil.example' }, 403],
  ['the same host by plain http:', { origin: 'http://app.example' }, 403],
  ['the same host at another port', { origin: 'https://app.example:8443' }, 403],
  ['a host below it', { origin: 'https://sub.app.example' }, 403],
  ['a host that begins like it', { origin: 'https://app.example.evil.example' }, 403],
  ['a page without an origin of its own', { origin: 'null' }, 403],
  ['an origin that is empty', { origin: '' }, 403],
  [
    'an empty one with a Referer on the list',
    { origin: '', 'sec-fetch-site': 'same-origin', referer: `${app}/` },
    403,
  ],
  ['a program that says nothing', {}, 403],
  [
    'a GET of a page of the same origin',
    { 'sec-fetch-site': 'same-origin', referer: `${app}/search?q=1` },
    200,
  ],
  [
    'a GET of a page of the same origin, which is not on the list',
    { 'sec-fetch-site': 'same-origin', referer: 'https://evil.example/' },
    403,
  ],
  ['a same-origin page that does not say which', { 'sec-fetch-site': 'same-origin' }, 403],
  [
    'a page that tells something unreadable',
    { 'sec-fetch-site': 'same-origin', referer: 'app.example' },
    403,
  ],
  ['a link from a page on the list', { 'sec-fetch-site': 'cross-site', referer: `${app}/` }, 403],
  [
    'a page of the same site, of another origin',
    { 'sec-fetch-site': 'same-site', referer: `${app}/` },
    403,
  ],
  ['a Referer alone', { referer: `${app}/` }, 403],
  [
    'a foreign page with a Referer on the list',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin', referer: `${app}/` },
    403,
  ],
];

/** Requests that the key has left this minute. */
const leftAfter = async (answer: Promise<Response>) =>
  Number((await answer).headers.get('x-ratelimit-remaining'));

describe('a key made with --origin', () => {
  it.each(requests)('from %s %o: %i', async (_from, headers, status) => {
    const rest = await customer.fetch('/v1/status?domain=taken.test', { headers });
    expect(rest.status).toBe(status);
    const graphql = await customer.graphql(
      '{ domain(name: "taken.test") { status } }',
      {},
      headers,
    );
    expect(graphql.status).toBe(status);
    const [restBody, graphqlBody] = [await rest.json(), await graphql.json()];
    const codes = [restBody.code, graphqlBody.errors?.[0].extensions.code];
    expect(codes).toEqual(
      status === 403 ? ['forbidden_origin', 'forbidden_origin'] : [undefined, undefined],
    );
  });

  it('lets the page read why it was refused', async () => {
    const refused = await customer.fetch('/v1/status?domain=taken.test', {
      headers: { origin: 'https://evil.example' },
    });
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is let ask first by any page: a preflight carries no key', async () => {
    const headers = {
      origin: app,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    };
    const answer = await metered.gateway.fetch('/graphql', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-API-Key');
  });

  it('has credits of its own, and none is taken for a request that was refused', async () => {
    const [one, other] = [
      await metered.newCustomer({ origins: [app], credits: 5 }),
      await metered.newCustomer({ credits: 7 }),
    ];
    const ask = (origin: string) =>
      one.fetch('/v1/status?domain=a.example&max_age=0', { headers: { origin } });
    expect((await ask('https://evil.example')).status).toBe(403);
    expect(costIn(await ask(app))).toEqual({ requested: 1, charged: 1, refunded: 0, remaining: 4 });
    expect((await other.balance()).remaining).toBe(7);
    expect((await one.balance()).remaining).toBe(4);
  });

  it('has a rate of its own, which requests from elsewhere do not use up', async () => {
    const one = await metered.newCustomer({ origins: [app] });
    const ask = (origin: string) =>
      one.fetch('/v1/status?domain=taken.test', { headers: { origin } });
    const left = await leftAfter(ask(app));
    for (let time = 0; time < 5; time += 1)
      expect((await ask('https://evil.example')).status).toBe(403);
    // The clock goes on and gives some back: five would show.
    expect(await leftAfter(ask(app))).toBeGreaterThanOrEqual(left - 1);
  });

  it('leaves keys without such a list alone', async () => {
    const program = await metered.newCustomer();
    for (const headers of [{}, { origin: 'https://evil.example' }]) {
      expect((await program.fetch('/v1/status?domain=taken.test', { headers })).status).toBe(200);
    }
  });
});
