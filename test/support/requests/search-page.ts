import type { Browser, Locator, Page, Request } from 'playwright-core';
import { expect, it as base } from 'vitest';
import { tldSets } from '../../../src/domain/names/tld-sets.ts';
import { startBrowser } from './browser.ts';
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
 * Defines a test of the search page. Each test has a registry, and gateways of its own; the tests of a
 * file share a browser, and are skipped without one. `parts` is disposed of after a test, the latest
 * first: also the servers that a page must not lose before it is closed.
 */
// Vitest reads which fixtures a fixture uses from its first parameter, which must be a pattern.
/* oxlint-disable no-empty-pattern */
export const it = base
  .extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
    const started = await startBrowser();
    onCleanup(() => started[Symbol.asyncDispose]());
    return started;
  })
  .extend('registry', async ({}, { onCleanup }) => {
    const registry = await startFakeRegistry();
    onCleanup(() => registry.close());
    return registry;
  })
  .extend('parts', async ({}, { onCleanup }) => {
    const parts = new AsyncDisposableStack();
    onCleanup(() => parts.disposeAsync());
    return parts;
  })
  .extend(
    'openGateway',
    ({ registry, parts }) =>
      async (options: GatewayOptions = {}) =>
        parts.use(await startSearchGateway(registry, options)),
  )
  .extend('openPage', ({ started, skip, openGateway, parts, task }): OpenPage => {
    return async (visit = {}, gateway) => {
      if ('absent' in started) return skip(started.absent);
      const { url } = gateway ?? (await openGateway());
      const { page, close } = await started.pages.open(visit.context ?? {});
      const observed = observe(page);
      parts.defer(async () => {
        const hasFailed = task.result?.state === 'fail';
        await close(hasFailed);
        if (hasFailed) return;
        expect(observed.errors).toEqual(new Set(visit.expectedErrors));
        expect(Array.from(observed.origins)).toEqual([new URL(url).origin]);
      });
      await page.goto(new URL(visit.search ?? '', url).href);
      return { ...searchPageOn(page), transferred: observed.transferred };
    };
  });
/* oxlint-enable no-empty-pattern */

/**
 * Opens the search page at an origin that the browser has not seen: of `gateway`, or of one that it
 * starts. After the test, checks that the page sent requests only to the gateway and that only
 * expected errors occurred.
 */
type OpenPage = (visit?: PageOptions, gateway?: { readonly url: string }) => Promise<SearchPage>;

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

/** Records the origins that a page requests, its errors, and what it has transferred. */
function observe(page: Page) {
  const origins = new Set<string>();
  const errors = new Set<string>();
  const files: Request[] = [];
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  page.on('console', (message) => void (message.type() === 'error' && errors.add(message.text())));
  page.on('pageerror', (error) => errors.add(String(error)));
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'fetch') files.push(request);
  });
  const transferred = async () => {
    const sizes = await Promise.all(files.map(sizeOf));
    return { requests: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  };
  return { origins, errors, transferred };
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
