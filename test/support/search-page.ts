import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The search page as somebody in front of it uses it. */
export interface SearchPage {
  readonly page: Page;
  /** The field for the label. */
  readonly field: Locator;
  tile(tld: string): Locator;
  /** What a tile says, its TLD and time left out. */
  verdict(tld: string): Promise<string>;
  /** How far the search has come. */
  summary(): Promise<string | null>;
  /** The panel with a name's record, while it is open. */
  readonly record: Locator;
}

export interface Visit {
  /** As it stands behind the address: `?q=taken&set=test`. */
  readonly search?: string;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** What the browser may complain of, such as an answer that the test wants. */
  readonly complaints?: readonly string[];
}

/** The TLDs that the page asks, in its order. */
export const { sets }: { sets: Readonly<Record<'real' | 'test', readonly string[]>> } =
  await import(new URL('../../src/http/pages/search/tlds.js', import.meta.url).href);

/** Opens the search page in a profile of its own. When `use` is done, checks that the page asked nobody but the gateway, and that nothing failed in it. */
export async function withSearchPage(
  browser: Browser,
  gatewayUrl: string,
  { search = '', context: options = {}, complaints: expected = [] }: Visit,
  use: (page: SearchPage) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const asked = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) => void (message.type() === 'error' && complaints.push(message.text())),
    );
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${gatewayUrl}/${search}`);
    await page.locator('#grid button').first().waitFor();
    await use(searchPageOn(page));
    expect(complaints).toEqual(expected);
    expect(Array.from(asked)).toEqual([gatewayUrl]);
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
