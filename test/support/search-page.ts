import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Controls the search page like a user. */
export interface SearchPage {
  readonly page: Page;
  /** The input field. */
  readonly field: Locator;
  tile(tld: string): Locator;
  /** Returns the verdict of a tile, without TLD and time. */
  verdict(tld: string): Promise<string>;
  /** Returns the progress of the search. */
  summary(): Promise<string | null>;
  /** The panel with a name's record. */
  readonly record: Locator;
}

/** How to open the page. */
export interface PageOptions {
  /** The query of the URL: `?q=taken&set=test`. */
  readonly search?: string;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** Errors that the browser must log, such as for a response that the test causes. */
  readonly expectedErrors?: readonly string[];
}

/** The TLDs of the page, in order. */
export const { sets }: { sets: Readonly<Record<'real' | 'test', readonly string[]>> } =
  await import(new URL('../../src/http/pages/search/tlds.js', import.meta.url).href);

/**
 * Opens the search page in a new profile. After `use`, checks that the page sent requests only to
 * the gateway and that only expected errors occurred.
 */
export async function withSearchPage(
  browser: Browser,
  gatewayUrl: string,
  { search = '', context: options = {}, expectedErrors = [] }: PageOptions,
  use: (page: SearchPage) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const requestedOrigins = new Set<string>();
    const errors: string[] = [];
    page.on('request', (request) => requestedOrigins.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) => void (message.type() === 'error' && errors.push(message.text())),
    );
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${gatewayUrl}/${search}`);
    await page.locator('#grid button').first().waitFor();
    await use(searchPageOn(page));
    expect(errors).toEqual(expectedErrors);
    expect(Array.from(requestedOrigins)).toEqual([gatewayUrl]);
  } finally {
    await context.close();
  }
}

function searchPageOn(page: Page): SearchPage {
  const tile = (tld: string) =>
    page.locator('#grid button', {
      has: page.locator('.suffix', { hasText: new RegExp(`^\\.${tld}$`) }),
    });
  return {
    page,
    tile,
    field: page.getByRole('textbox', { name: 'Label or full domain name' }),
    verdict: async (tld) => (await tile(tld).locator('.status').textContent()) ?? '',
    summary: () => page.locator('#summary').textContent(),
    record: page.getByRole('dialog'),
  };
}
