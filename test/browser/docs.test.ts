import type { Page } from 'playwright-core';
import { describe, expect, it, type TestContext } from 'vitest';
import { guideFiles, pagePath } from '../../src/website/docs/guides.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const started = await forThisFile(startBrowser);

const gateway = await forThisFile(startGateway);

const pages = Object.keys(guideFiles)
  .filter((name) => name !== 'reference')
  .map(pagePath);
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'light' } as const;
const desktop = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } as const;

type Display = typeof phone | typeof desktop;

/**
 * Opens a page. After `use`, checks that the browser sent requests only to the gateway and logged
 * no warnings.
 */
async function withDocsPage(
  context: TestContext,
  path: string,
  display: Display,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  // The test injects axe, which the policy of the page forbids.
  await started.pages.use({ ...display, bypassCSP: true }, async (page) => {
    const warnings: string[] = [];
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    page.on(
      'console',
      (message) =>
        void (['error', 'warning'].includes(message.type()) && warnings.push(message.text())),
    );
    page.on('pageerror', (error) => warnings.push(String(error)));
    await page.goto(`${gateway.url}${path}`);
    await use(page);
    expect([warnings, Array.from(origins)]).toEqual([[], [gateway.url]]);
    await page.evaluate('localStorage.clear()');
  });
}

async function checkAccessibility(page: Page): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([]);
}

/** Checks that neither the page nor a table scrolls sideways, at the widths of both displays. */
async function checkWidths(page: Page, path: string): Promise<void> {
  const clippedTables = `Array.from(document.querySelectorAll('.scrolls')).filter((table) => table.scrollWidth > table.clientWidth)`;
  for (const { viewport } of [phone, desktop]) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, path).toBeLessThanOrEqual(viewport.width);
    const clipped = await page.evaluate(`${clippedTables}.map((table) => table.ariaLabel)`);
    expect(clipped, path).toEqual([]);
  }
}

describe('the documentation', () => {
  it('fits the width of phones and desktops', async (context) => {
    await withDocsPage(context, '/docs', phone, async (page) => {
      for (const path of pages) {
        await page.goto(`${gateway.url}${path}`);
        expect(await page.locator('h1').isVisible(), path).toBe(true);
        await checkWidths(page, path);
      }
    });
  });

  // All pages have the same style sheet and header, and the guides have the same renderer.
  it('has no accessibility violations, and is dark if the system is', async (context) => {
    const backgrounds = new Map<string, unknown>();
    await withDocsPage(context, '/docs', phone, async (page) => {
      for (const [path, { colorScheme, viewport }] of [
        ['/docs', phone],
        ['/docs/errors', phone],
        ['/docs/metrics', phone],
        ['/docs/graphql-guide', phone],
        ['/docs', desktop],
        ['/docs/configuration', desktop],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.goto(`${gateway.url}${path}`);
        const background = 'getComputedStyle(document.body).backgroundColor';
        backgrounds.set(colorScheme, await page.evaluate(background));
        await checkAccessibility(page);
      }
    });
    expect(backgrounds.get('dark')).not.toBe(backgrounds.get('light'));
  });
});

describe('the documentation in a browser', () => {
  it('allows its styles but no inline scripts', async (context) => {
    if ('absent' in started) return context.skip(started.absent);
    const page = await started.browser.newPage();
    await page.goto(`${gateway.url}/docs`);
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("pre")).borderRadius'),
    ).not.toBe('0px');
    await expect(page.addScriptTag({ content: 'window.ran = true' })).rejects.toThrow(
      /Content Security Policy|TrustedScript/,
    );
    await page.close();
  });

  it('copies an example', async (context) => {
    await withDocsPage(context, '/docs', desktop, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('.code').first().hover();
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
        `curl -s ${gateway.url}/graphql`,
      );
    });
  });

  it('shows examples in the chosen language, also on the next page', async (context) => {
    await withDocsPage(context, '/docs/getting-started', desktop, async (page) => {
      const shown = () => page.locator('.tabs pre:visible').first().textContent();
      expect(await shown()).toMatch(/^curl /);
      await page.getByText('Python', { exact: true }).first().click();
      expect(await shown()).toMatch(/^import json/);
      await page.goto(`${gateway.url}/docs/graphql-guide`);
      expect(await shown()).toMatch(/^import json/);
    });
  });

  it.each(['retries budget', 'insufficient_credits'])(
    'finds %s in all pages with the keyboard alone',
    async (words) => {
      if ('absent' in started) return;
      const page = await started.browser.newPage();
      await page.goto(`${gateway.url}/docs`);
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      await page.locator('.search li').first().waitFor();
      const [first] = await page.locator('.search li a').all();
      for (const word of words.split(' '))
        expect((await first?.textContent())?.toLowerCase()).toContain(word);
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\w/);
      expect(await page.locator(':target').isVisible()).toBe(true);
      await page.close();
    },
  );

  it('finds what is meant, in spite of typing errors and other words', async (context) => {
    await withDocsPage(context, '/docs', desktop, async (page) => {
      await page.getByRole('button', { name: /^Search docs/ }).click();
      const input = page.getByRole('searchbox');
      const results = page.locator('.search li a');
      for (const [words, title] of [
        ['GDPR', 'Privacy'],
        ['punycode', 'Names'],
        ['corporate proxy', 'Outgoing proxy'],
        ['subscrption', 'Front-end guide'],
        ['kubernets', 'Kubernetes'],
        ['stream rows react', 'React'],
        ['price of 1000 names', 'Prices'],
        ['how much does a lookup cost', 'Prices'],
        ['price', 'Prices'],
        ['change port', 'Server'],
        ['port', 'Server'],
        ['telemetry', 'Traces'],
        ['webhook', 'Tell me when it changes'],
        ['notify when a name expires', 'Tell me when it changes'],
        ['oauth login', 'Log in with OAuth'],
        ['nginx', 'Behind a proxy'],
        ['limit requests per key', 'Limits'],
      ] as const) {
        await input.fill(words);
        const best = async () => (await results.allTextContents()).slice(0, 4).join('\n');
        await expect.poll(best, { message: words }).toContain(title);
      }
    });
  });

  it('filters the table of TLDs, and keeps the filter in the address', async (context) => {
    await withDocsPage(context, '/docs/tlds', phone, async (page) => {
      const shown = () => page.locator('#tlds tbody th code').allTextContents();
      await page.getByText(/^\d+ of \d+ TLDs$/).waitFor();
      const all = (await shown()).length;
      const policy = page.locator('#tlds td[data-column=Policy]').first();
      const before = await policy.evaluate((each) => getComputedStyle(each, '::before').content);
      expect(before).toContain('Policy');
      await page.getByRole('searchbox', { name: 'Filter TLDs' }).fill('.ac');
      await page.getByRole('combobox', { name: 'Type' }).selectOption('cctld');
      const found = await shown();
      expect(found).toContain('.ac');
      expect(found.length).toBeLessThan(all);
      expect(new URL(page.url()).search).toBe('?q=.ac&is=cctld');
      await page.reload();
      await expect.poll(shown).toEqual(found);
      await checkAccessibility(page);
    });
  });

  it('leads from a section that has moved to its new page', async (context) => {
    await withDocsPage(context, '/docs/operations#docker', desktop, async (page) => {
      await page.waitForURL(/\/docs\/deployment#docker$/);
      expect(await page.locator(':target').textContent()).toBe('Docker');
    });
  });

  it('opens and closes its menu on a phone', async (context) => {
    await withDocsPage(context, '/docs', phone, async (page) => {
      const menu = page.getByRole('navigation', { name: 'Documentation', includeHidden: true });
      const link = menu.getByRole('link', { name: 'Reliability', includeHidden: true });
      expect(await link.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await link.click();
      await page.waitForURL(/reliability/);
    });
  });
});

// The page is the largest one: what follows shares its load.
it('the REST reference keeps the menu, shows every endpoint, and sends requests', async (context) => {
  await withDocsPage(context, '/docs/reference', desktop, async (page) => {
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    expect(await menu.getByRole('link', { name: 'GraphQL guide' }).isVisible()).toBe(true);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: '/v1/coverage' }).click();
    const heading = page.getByRole('heading', { name: 'Get TLD coverage and registry health' });
    await heading.waitFor();
    const text = () => page.locator('#reference').textContent();
    for (const path of ['/v1/status', '/v1/rdap', '/v1/status/bulk'])
      await expect.poll(text).toContain(path);

    await page.emulateMedia({ colorScheme: phone.colorScheme });
    await page.setViewportSize(phone.viewport);
    await checkAccessibility(page);
    await checkWidths(page, '/docs/reference');

    await contents.getByRole('link', { name: '/v1/rdap', exact: true }).click();
    await page
      .getByRole('button', { name: /Test Request.*\/v1\/rdap/ })
      .first()
      .click();
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().includes('/v1/rdap')),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    expect(response.url()).toContain(`${gateway.url}/v1/rdap`);
    expect(response.status()).toBe(200);
  });
});
