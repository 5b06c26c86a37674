import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { costIn, startMeteredGateway } from '../support/gateways/metered-gateway.ts';

const app = 'https://app.example';
const second = 'http://localhost:3000';

const metered = await forThisFile(startMeteredGateway, { env: { RATE_LIMIT: '600' } });
const customer = await metered.newCustomer({ origins: [app, second], credits: 1000 });

/** Headers that a browser sends for each kind of request, and the expected status. */
const requests: readonly (readonly [
  from: string,
  headers: Record<string, string>,
  status: 200 | 403,
])[] = [
  ['a page on its list', { origin: app }, 200],
  ['another page on its list', { origin: second }, 200],
  ['a page that is not on its list', { origin: 'https://evil.example' }, 403],
  ['the same host over http:', { origin: 'http://app.example' }, 403],
  ['the same host at another port', { origin: 'https://app.example:8443' }, 403],
  ['a subdomain of it', { origin: 'https://sub.app.example' }, 403],
  ['a host that starts like it', { origin: 'https://app.example.evil.example' }, 403],
  ['a page with an opaque origin', { origin: 'null' }, 403],
  ['an empty origin', { origin: '' }, 403],
  [
    'an empty origin with a Referer on the list',
    { origin: '', 'sec-fetch-site': 'same-origin', referer: `${app}/` },
    403,
  ],
  ['a client that sends no such header', {}, 403],
  [
    'a same-origin GET of a page on the list',
    { 'sec-fetch-site': 'same-origin', referer: `${app}/search?q=1` },
    200,
  ],
  [
    'a same-origin GET of a page that is not on the list',
    { 'sec-fetch-site': 'same-origin', referer: 'https://evil.example/' },
    403,
  ],
  ['a same-origin page without a Referer', { 'sec-fetch-site': 'same-origin' }, 403],
  [
    'a page with an invalid Referer',
    { 'sec-fetch-site': 'same-origin', referer: 'app.example' },
    403,
  ],
  ['a link from a page on the list', { 'sec-fetch-site': 'cross-site', referer: `${app}/` }, 403],
  [
    'a same-site page of another origin',
    { 'sec-fetch-site': 'same-site', referer: `${app}/` },
    403,
  ],
  ['a Referer without other headers', { referer: `${app}/` }, 403],
  [
    'a page of another site with a Referer on the list',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin', referer: `${app}/` },
    403,
  ],
];

/** Returns the requests that the key has left. */
const remainingAfter = async (answer: Promise<Response>) =>
  Number((await answer).headers.get('x-ratelimit-remaining'));

describe('a key created with --origin', () => {
  it.each(requests)('gets %3$i from %1$s', async (_from, headers, status) => {
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

  it('allows the page to read why the request was rejected', async () => {
    const refused = await customer.fetch('/v1/status?domain=taken.test', {
      headers: { origin: 'https://evil.example' },
    });
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('does not affect preflights, which contain no key', async () => {
    const headers = {
      origin: app,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    };
    const answer = await metered.gateway.fetch('/graphql', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-API-Key');
  });

  it('is not charged for a rejected request', async () => {
    const [one, other] = [
      await metered.newCustomer({ origins: [app], credits: 5 }),
      await metered.newCustomer({ credits: 7 }),
    ];
    const send = (origin: string) =>
      one.fetch('/v1/status?domain=a.example&max_age=0', { headers: { origin } });
    expect((await send('https://evil.example')).status).toBe(403);
    expect(costIn(await send(app))).toEqual({
      requested: 1,
      charged: 1,
      refunded: 0,
      remaining: 4,
    });
    expect((await other.balance()).remaining).toBe(7);
    expect((await one.balance()).remaining).toBe(4);
  });

  it('does not count requests from other origins against its rate limit', async () => {
    const one = await metered.newCustomer({ origins: [app] });
    const send = (origin: string) =>
      one.fetch('/v1/status?domain=taken.test', { headers: { origin } });
    const left = await remainingAfter(send(app));
    for (let time = 0; time < 5; time += 1)
      expect((await send('https://evil.example')).status).toBe(403);
    // The bucket refills with time, but by less than five requests.
    expect(await remainingAfter(send(app))).toBeGreaterThanOrEqual(left - 1);
  });

  it('does not affect keys without an origin list', async () => {
    const program = await metered.newCustomer();
    for (const headers of [{}, { origin: 'https://evil.example' }]) {
      expect((await program.fetch('/v1/status?domain=taken.test', { headers })).status).toBe(200);
    }
  });
});
