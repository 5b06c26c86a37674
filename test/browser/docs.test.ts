import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { guideFiles } from '../../src/http/pages/docs/guides.ts';
import { startBrowser } from '../support/browser.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const started = await startBrowser();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  if (!('absent' in started)) await started.close();
  await gateway[Symbol.asyncDispose]();
});

const pages = [
  '/docs',
  '/docs/errors',
  '/docs/metrics',
  '/docs/versioning',
  ...Object.keys(guideFiles).map((name) => `/docs/${name}`),
];
const readers = [
  { reader: 'on a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { reader: 'on a phone in dark mode', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { reader: 'on a desktop', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  {
    reader: 'on a desktop in dark mode',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
  },
] as const;

type Reader = Omit<(typeof readers)[number], 'reader'>;

/** Opens a page. After `use`, checks that the browser sent requests to the gateway only, and reported no problem. */
async function reading(
  context: TestContext,
  path: string,
  reader: Reader,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  // The policy of the pages would reject axe, which the test injects.
  const own = await started.browser.newContext({ ...reader, bypassCSP: true });
  try {
    const page = await own.newPage();
    const messages: string[] = [];
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) =>
        void (['error', 'warning'].includes(message.type()) && messages.push(message.text())),
    );
    page.on('pageerror', (error) => messages.push(String(error)));
    await page.goto(`${gateway.url}${path}`);
    await use(page);
    expect([messages, Array.from(origins)]).toEqual([[], [gateway.url]]);
  } finally {
    await own.close();
  }
}

describe.for(readers)('the documentation, read $reader,', ({ reader: _reader, ...reader }) => {
  // All pages have the same style sheet, so some suffice to check its dark colors.
  it.for(reader.colorScheme === 'dark' ? pages.slice(0, 6) : pages)(
    '%s fits the width, shows all columns of its tables, and passes axe',
    async (path, context) => {
      await reading(context, path, reader, async (page) => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          reader.viewport.width,
        );
        expect(await page.locator('h1').isVisible()).toBe(true);
        const cut = `Array.from(document.querySelectorAll('.scrolls')).filter((table) => table.scrollWidth > table.clientWidth)`;
        expect(await page.evaluate(`${cut}.map((table) => table.ariaLabel)`)).toEqual([]);
        await page.evaluate(axe);
        const violations = await page.evaluate<unknown[]>(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))',
        );
        expect(violations).toEqual([]);
      });
    },
  );
});

describe('the documentation in a browser', () => {
  it('follows the color scheme of the system', async (context) => {
    const backgrounds: unknown[] = [];
    for (const reader of readers) {
      await reading(context, '/docs', reader, async (page) => {
        backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      });
    }
    expect(new Set(backgrounds).size).toBe(2);
  });

  it('is styled under its policy, which rejects scripts', async (context) => {
    if ('absent' in started) return context.skip(started.absent);
    const page = await started.browser.newPage();
    await page.goto(`${gateway.url}/docs`);
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("pre")).borderRadius'),
    ).not.toBe('0px');
    await expect(page.addScriptTag({ content: 'window.ran = true' })).rejects.toThrow(
      /Content Security Policy/,
    );
    await page.close();
  });

  it('selects a whole example with one click', async (context) => {
    await reading(context, '/docs', readers[2], async (page) => {
      await page.locator('#get-v1-status pre code').first().click();
      expect(await page.evaluate('getSelection().toString()')).toBe(
        `curl '${gateway.url}/v1/status?name=taken&tlds=test,zz'`,
      );
    });
  });
});
