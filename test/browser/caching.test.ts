import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.ts';
import { startEmptySite } from '../support/servers/http-server.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { startMeteredGateway, type Customer } from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';

const started = await forThisFile(startBrowser);
const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));
/** Two origins of one site, which share the browser's cache. */
const sites = [await forThisFile(startEmptySite), await forThisFile(startEmptySite)] as const;
let customer: Customer;
let profile: BrowserContext | undefined;

beforeEach(async () => {
  customer = await metered.newCustomer();
  profile = 'absent' in started ? undefined : await started.browser.newContext();
});
afterEach(() => profile?.close());

/** Opens a page in the browser profile of the test, whose pages share a cache. */
async function open(context: TestContext, url: string): Promise<Page> {
  if (!profile) return context.skip('absent' in started ? started.absent : '');
  const page = await profile.newPage();
  await page.goto(url);
  return page;
}

const paths = ['/v1/status?domain=taken.example', '/v1/rdap?domain=taken.example'] as const;

interface FetchResult {
  readonly status: number;
  /** Unique per response, so equal ids mean that a response came from the browser's cache. */
  readonly requestId: string | null;
}

/** Sends a request from a page. */
function send(page: Page, path: string, headers: Record<string, string>): Promise<FetchResult> {
  const [url, options] = [
    JSON.stringify(new URL(path, metered.gateway.url)),
    JSON.stringify({ headers }),
  ];
  return page.evaluate<FetchResult>(
    `fetch(${url}, ${options}).then(({ status, headers }) => ({ status, requestId: headers.get('x-request-id') }))`,
  );
}

describe.each([
  ['the same origin', () => metered.gateway.url],
  ['another origin', () => sites[0].url],
])('the browser cache, for a page of %s,', (_what, pageUrl) => {
  it.for(paths)('is used for repeated requests with the same key: %s', async (path, context) => {
    const page = await open(context, pageUrl());
    const headers = { 'x-api-key': customer.key };
    const first = await send(page, path, headers);
    expect(first.status).toBe(200);
    expect(await send(page, path, headers)).toEqual(first);
  });

  it.for<[what: string, status: number, headers: () => Record<string, string>]>([
    ['another key', 200, () => ({ 'x-api-key': other.key })],
    ['another key as Authorization', 200, () => ({ authorization: `Bearer ${other.key}` })],
    ['a wrong key', 401, () => ({ 'x-api-key': generateKey() })],
    ['no key', 401, () => ({})],
    ['another naming', 200, () => ({ 'x-api-key': customer.key, 'service-naming': 'snake' })],
    ['another media type', 200, () => ({ 'x-api-key': customer.key, accept: 'application/json' })],
  ])('is not used for a request with %s', async ([, status, headers], context) => {
    const page = await open(context, pageUrl());
    other = await metered.newCustomer();
    for (const path of paths) {
      const first = await send(page, path, { 'x-api-key': customer.key });
      const second = await send(page, path, headers());
      expect([first.status, second.status]).toEqual([200, status]);
      expect(second.requestId).not.toBe(first.requestId);
    }
  });
});

let other: Customer;

it('a key that is restricted to one origin is rejected from another origin of the same site', async (context) => {
  const pages = [await open(context, sites[0].url), await open(context, sites[1].url)] as const;
  const restricted = await metered.newCustomer({ origins: [sites[0].url] });
  const headers = { 'x-api-key': restricted.key };
  const first = await send(pages[0], paths[0], headers);
  expect(await send(pages[0], paths[0], headers)).toEqual(first);
  expect([first.status, (await send(pages[1], paths[0], headers)).status]).toEqual([200, 403]);
});
