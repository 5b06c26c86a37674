import type { Page } from 'playwright-core';
import { describe, expect, it, type TestContext } from 'vitest';
import { startEmptySite } from '../support/servers/http-server.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startBrowser, withNewProfile } from '../support/requests/browser.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';

const started = await forThisFile(startBrowser);
const metered = await forThisFile(startMeteredGateway, { env: { RATE_LIMIT: '100' } });
const customer = await metered.newCustomer();
const otherSite = await forThisFile(startEmptySite);

const onOtherSite = (context: TestContext, use: (page: Page) => Promise<void>) =>
  withNewProfile(started, context, otherSite.url, use);

interface FetchResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request from a page. The result has the headers that the gateway exposes. */
function send(page: Page, path: string, init: object): Promise<FetchResult> {
  return page.evaluate<FetchResult>(`fetch(${JSON.stringify(metered.gateway.url + path)}, ${JSON.stringify(init)}).then(async (response) => ({
    status: response.status, headers: Object.fromEntries(response.headers), body: await response.text(),
  }))`);
}

/** Headers that clients send: tracing, Apollo Client, a reload, a custom header. */
const clientHeaders = () => ({
  'x-api-key': customer.key,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'apollographql-client-name': 'web',
  'apollographql-client-version': '1.0',
  'cache-control': 'no-cache',
  'x-my-client': 'my-client/1.0',
});
const query = JSON.stringify({ query: '{ domain(name: "taken.test") { available } }' });

const requests: readonly [
  what: string,
  path: string,
  init: (headers: Record<string, string>) => object,
][] = [
  [
    'a GraphQL query',
    '/graphql',
    (headers) => ({
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: query,
    }),
  ],
  [
    'a GraphQL query by GET',
    `/graphql?query=${encodeURIComponent('{ domain(name: "taken.test") { available } }')}`,
    (headers) => ({ headers }),
  ],
  ['a status call', '/v1/status?domain=taken.test', (headers) => ({ headers })],
  ['a record call', '/v1/rdap?domain=taken.test', (headers) => ({ headers })],
  [
    'a bulk call',
    '/v1/status/bulk',
    (headers) => ({
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: '{"domains":["taken.test"]}',
    }),
  ],
];

describe.each(requests)('a page of another site that sends %s', (_what, path, init) => {
  it('can send custom headers and read the rate limit', async (context) => {
    await onOtherSite(context, async (page) => {
      const { status, headers, body } = await send(page, path, init(clientHeaders()));
      expect(status).toBe(200);
      expect(headers['x-ratelimit-limit']).toBe('100');
      expect(headers['ratelimit-policy']).toBe('"default";q=100;w=60');
      expect(Number(headers['x-ratelimit-remaining'])).toBeLessThan(100);
      expect(body).toMatch(/"available":false/);
    });
  });

  it('can read why a request without a key is rejected', async (context) => {
    await onOtherSite(context, async (page) => {
      const { status, headers, body } = await send(
        page,
        path,
        init({ 'x-my-client': 'my-client/1.0' }),
      );
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="gateway"']);
      expect(body).toContain('missing_api_key');
    });
  });
});
