import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { inject, type TestContext } from 'vitest';

/** A connection to a Chromium, or the reason why there is none. */
export type Started = AsyncDisposable &
  ({ readonly browser: Browser; readonly pages: Pages } | { readonly absent: string });

declare module 'vitest' {
  interface ProvidedContext {
    /** The Chromium that the files of the project `browser` share, or the reason why it is absent. */
    readonly browser: { readonly endpoint: string } | { readonly absent: string };
  }
}

/**
 * How long to wait for an element: less than for a poll, whose message would not say what it waits
 * for.
 */
export const actionTimeoutMs = 10_000;

/** Connects to the Chromium of the test run. */
export async function startBrowser(): Promise<Started> {
  const shared = inject('browser');
  if ('absent' in shared) return { ...shared, [Symbol.asyncDispose]: async () => undefined };
  const browser = await chromium.connect(shared.endpoint);
  return { browser, pages: new Pages(browser), [Symbol.asyncDispose]: () => browser.close() };
}

/** Passes a page at `url` in a new profile to a test, which is skipped without a browser. */
export async function withNewProfile(
  started: Started,
  context: TestContext,
  url: string,
  test: (page: Page) => Promise<void>,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  await using profile = await started.browser.newContext();
  const page = await profile.newPage();
  await page.goto(url);
  await test(page);
}

/**
 * Pages that tests use one after the other, because a new profile takes a second of processor time.
 * Tests whose gateways have different ports see nothing of each other: these are different origins.
 */
export class Pages {
  readonly #browser: Browser;
  readonly #unused = new Map<string, Page>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Passes an empty page of a profile with the given options to a test. */
  async use(options: BrowserContextOptions, test: (page: Page) => Promise<void>): Promise<void> {
    const { page, close } = await this.open(options);
    try {
      await test(page);
    } catch (error) {
      await close(true);
      throw error;
    }
    await close(false);
  }

  /**
   * Returns an empty page of a profile with the given options. A page that was closed or whose test
   * failed is not used again; a test closes a page that it has changed for good, as with a script
   * that runs on every load.
   */
  async open(options: BrowserContextOptions) {
    const key = JSON.stringify(options);
    const page = this.#unused.get(key) ?? (await this.#openProfile(options));
    this.#unused.delete(key);
    const close = async (hasFailed: boolean) => {
      if (hasFailed || page.isClosed()) return page.context().close();
      await reset(page, options);
      this.#unused.set(key, page);
    };
    return { page, close };
  }

  async #openProfile(options: BrowserContextOptions): Promise<Page> {
    const profile = await this.#browser.newContext(options);
    profile.setDefaultTimeout(actionTimeoutMs);
    profile.setDefaultNavigationTimeout(3 * actionTimeoutMs);
    return profile.newPage();
  }
}

/** Of the site of the gateways: a page of another one, as `about:blank`, would start a renderer process. */
const blankUrl = 'http://127.0.0.1/blank';

async function reset(page: Page, { viewport, colorScheme }: BrowserContextOptions): Promise<void> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  await page.route(blankUrl, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(blankUrl);
  await page.unrouteAll();

  await page.emulateMedia({ colorScheme: colorScheme ?? null });
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
}
