import type { Browser, Locator, Page, Request } from 'playwright-core';
import { expect, it as base } from 'vitest';
import { tldSets } from '../../../src/domain/names/tld-sets.ts';
import { startBrowser, type Pages } from './browser.ts';
import { startFakeRegistry, type FakeRegistry } from '../servers/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../gateways/gateway.ts';

/** Controls the search page like a user. */
export interface SearchPage {
  readonly page: Page;
  /** The input field. */
  readonly field: Locator;
  /** The tile of a full name, as it is shown. */
  tile(name: string): Locator;
  /** Returns the verdict in the tile of a name. */
  verdict(name: string): Promise<string>;
  /** Returns the names in the tiles that are shown, in order. */
  names(): Promise<readonly string[]>;
  /** Returns the result of the whole search. */
  summary(): Promise<string>;
  /** What the page makes of the text in the field. */
  readonly interpretation: Locator;
  /** The answer for a full name. */
  readonly headline: Locator;
  /** The panel with the details of a name. */
  readonly panel: Locator;
  /** Returns what the page, its scripts and styles have transferred, with headers. */
  transferred(): Promise<{ readonly requests: number; readonly bytes: number }>;
  /** A message with actions, such as an error. */
  readonly notice: Locator;
}

/** How to open the page. */
export interface PageOptions {
  /** The query of the URL: `?q=taken&set=test`. */
  readonly search?: string;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** Errors that the browser must log, once or more, such as for a response that the test causes. */
  readonly expectedErrors?: readonly string[];
}

/** Polls a value until it is as expected. */
export const soon = <T>(read: () => T | Promise<T>) => expect.poll(read);

/** The TLDs that the page searches by default, in order. */
export const popular = tldSets['popular']?.tlds ?? [];

/**
 * Defines a test of the search page. Each test has a registry and starts a gateway of its own; the
 * tests of a file share a browser, and are skipped without one.
 */
// Vitest reads which fixtures a fixture uses from its first parameter, which must be a pattern.
/* oxlint-disable no-empty-pattern */
export const it = base
  .extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
    const started = await startBrowser();
    if (!('absent' in started)) onCleanup(() => started.close());
    return started;
  })
  .extend('registry', async ({}, { onCleanup }) => {
    const registry = await startFakeRegistry();
    onCleanup(() => registry.close());
    return registry;
  })
  .extend('openGateway', async ({ registry }, { onCleanup }) => {
    const gateways = new AsyncDisposableStack();
    onCleanup(() => gateways.disposeAsync());
    return async (options: GatewayOptions = {}) =>
      gateways.use(await startSearchGateway(registry, options));
  })
  .extend('onSearchPage', ({ started, skip }): OnSearchPage =>
    'absent' in started
      ? () => skip(started.absent)
      : (url, visit, use) => withSearchPage(started.pages, url, visit, use),
  );
/* oxlint-enable no-empty-pattern */

/**
 * Opens the search page at an origin that the browser has not seen. After `use`, checks that the page sent requests only to
 * the gateway and that only expected errors occurred.
 */
type OnSearchPage = (
  gatewayUrl: string,
  visit: PageOptions,
  use: (page: SearchPage) => Promise<void>,
) => Promise<void>;

/** Starts a gateway whose TLDs are all served by one registry without rate limits. */
function startSearchGateway(registry: FakeRegistry, options: GatewayOptions): Promise<Gateway> {
  const tlds = Object.values(tldSets).flatMap((set) => set.tlds);
  const registries = Object.fromEntries(
    tlds.filter((tld) => !/(?:^|\.)test$/.test(tld)).map((tld) => [tld, registry.baseUrl]),
  );
  const env = {
    RATE_LIMIT: '0',
    RDAP_RATE: '0',
    RDAP_CONCURRENCY: '100',
    RDAP_TIMEOUT_MS: '60000',
    ...options.env,
  };
  return startGateway({ registries, ...options, env });
}

function withSearchPage(
  pages: Pages,
  gatewayUrl: string,
  { search = '', context = {}, expectedErrors = [] }: PageOptions,
  use: (page: SearchPage) => Promise<void>,
): Promise<void> {
  return pages.use(context, async (page) => {
    const requestedOrigins = new Set<string>();
    const errors: string[] = [];
    page.on('request', (request) => requestedOrigins.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) => void (message.type() === 'error' && errors.push(message.text())),
    );
    page.on('pageerror', (error) => errors.push(String(error)));
    const finished: Request[] = [];
    page.on('requestfinished', (request) => void finished.push(request));
    await page.goto(new URL(search, gatewayUrl).href);
    const transferred = async () => {
      const files = finished.filter((request) => request.resourceType() !== 'fetch');
      const all = await Promise.all(files.map(sizeOf));
      return { requests: all.length, bytes: all.reduce((sum, size) => sum + size, 0) };
    };
    await use({ ...searchPageOn(page), transferred });
    expect(new Set(errors)).toEqual(new Set(expectedErrors));
    expect(Array.from(requestedOrigins)).toEqual([new URL(gatewayUrl).origin]);
  });
}

async function sizeOf(request: Request): Promise<number> {
  const { responseHeadersSize, responseBodySize } = await request.sizes();
  return responseHeadersSize + responseBodySize;
}

function searchPageOn(page: Page): Omit<SearchPage, 'transferred'> {
  const shownNames = page.locator('#grid .name').filter({ visible: true });
  const tile = (name: string) =>
    page.locator('#grid button', {
      has: page.locator('.name', { hasText: new RegExp(`^${name.replaceAll('.', '\\.')}$`) }),
    });
  return {
    page,
    tile,
    field: page.getByRole('textbox', { name: 'Name, domain or link' }),
    verdict: async (name) => ((await tile(name).locator('.status').textContent()) ?? '').trim(),
    names: () => shownNames.allTextContents(),
    summary: async () => (await page.locator('#summary span').allInnerTexts()).join(' · '),
    interpretation: page.locator('#interpretation'),
    headline: page.getByRole('region', { name: 'Your domain' }),
    panel: page.locator('#panel'),
    notice: page.locator('#notice'),
  };
}
