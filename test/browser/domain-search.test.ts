import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { actionTimeoutMs, startBrowser } from '../support/browser.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startMeteredGateway } from '../support/metered-gateway.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const source = (name: string) =>
  readFileSync(new URL(`../../src/client/${name}`, import.meta.url), 'utf8');

/** The files of the npm package: the compiler removes the types, and nothing else. */
const scripts: Readonly<Record<string, string>> = {
  'client.js': stripTypeScriptTypes(source('client.ts')),
  'domain-search.js': source('domain-search.js'),
  'grid.js': source('grid.js'),
  'verdicts.js': source('verdicts.js'),
};
const compressedSize = () =>
  Object.values(scripts).reduce((sum, text) => sum + gzipSync(text).length, 0);

const started = await startBrowser();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  if (!('absent' in started)) await started.close();
  await gateway[Symbol.asyncDispose]();
});

/** The strictest policy under which the element works. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";

/** Opens a page of the gateway's origin that has the element. */
async function withElement(
  context: TestContext,
  element: string,
  use: (page: Page) => Promise<void>,
  url = gateway.url,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  const page = await started.browser.newPage();
  page.setDefaultTimeout(actionTimeoutMs);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  for (const [name, body] of Object.entries(scripts))
    await page.route(`**/client/${name}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
  await page.route('**/element', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': policy },
      body: `<!doctype html><html lang="en"><title>Search</title><main><h1>Search</h1>${element}</main><script type="module" src="/client/domain-search.js"></script></html>`,
    }),
  );
  await page.goto(`${url}/element`);
  await use(page);
  expect(errors).toEqual([]);
  await page.close();
}

const rows = (page: Page) =>
  page
    .locator('domain-search .tile')
    .evaluateAll((tiles) => tiles.map(({ ariaLabel }) => String(ariaLabel)));
const status = (page: Page) => page.getByRole('status').innerText();

it('says in the row what is likely, and what to check', async (context) => {
  await withElement(context, '<domain-search></domain-search>', async (page) => {
    await page.getByRole('searchbox').fill('free.whois-only.test');
    await expect.poll(() => rows(page)).toEqual([expect.stringMatching(/: Likely available$/)]);
    await page.getByRole('searchbox').fill('bücher.test');
    await expect.poll(() => rows(page)).toEqual([expect.stringMatching(/: Available/)]);
  });
});

it('shows a label under each TLD as soon as its lookup has completed', async (context) => {
  const element = '<domain-search tlds="test shop.test" label="Your idea"></domain-search>';
  await withElement(context, element, async (page) => {
    await page.evaluate(
      "window.results = []; addEventListener('domain-result', ({ detail }) => results.push([detail.domain, detail.available])); addEventListener('domain-select', ({ detail }) => (window.selected = detail.domain))",
    );
    await page.getByLabel('Your idea').fill('slow-idea');
    await expect.poll(() => status(page)).toBe('0 of 2 names are available.');
    await page.getByLabel('Your idea').fill('new-idea');
    await expect.poll(() => status(page)).toBe('2 of 2 names are available.');
    // The order is that of the TLDs, not of the answers.
    expect(await rows(page)).toEqual(['new-idea.test: Available', 'new-idea.shop.test: Available']);
    await page.getByRole('button', { name: 'new-idea.shop.test' }).click();
    expect(await page.evaluate('window.selected')).toBe('new-idea.shop.test');
    // A custom property of the page changes a color.
    const styled = await page.evaluate(`(() => {
      const element = document.querySelector('domain-search');
      element.style.setProperty('--available', 'rgb(1, 2, 3)');
      return getComputedStyle(element.shadowRoot.querySelector('.word')).color;
    })()`);
    expect(styled).toBe('rgb(1, 2, 3)');
    const results = await page.evaluate<[string, boolean][]>('results');
    expect(new Map(results)).toEqual(
      new Map([
        ['slow-idea.test', false],
        ['slow-idea.shop.test', false],
        ['new-idea.test', true],
        ['new-idea.shop.test', true],
      ]),
    );
  });
});

it('shows unknown apart from available and taken, for full names, too', async (context) => {
  await withElement(context, '<domain-search></domain-search>', async (page) => {
    const input = page.getByLabel('Domain name');
    for (const [name, verdict] of [
      ['html.test', 'No answer, unclear'],
      ['taken.test', 'Taken'],
      ['free.test', 'Available'],
      ['bücher.test', 'Available'],
    ]) {
      await input.fill(String(name));
      await expect
        .poll(async () => (await rows(page)).join())
        .toMatch(new RegExp(`^${name}: ${verdict}`));
    }
  });
});

it('shows only the latest search, and the reason of a rejected one', async (context) => {
  await withElement(context, '<domain-search tlds="test"></domain-search>', async (page) => {
    const input = page.getByLabel('Domain name');
    const first = page.waitForRequest((request) => request.postData()?.includes('hang') === true);
    const aborted = page.waitForEvent('requestfailed');
    await input.fill('hang-first');
    await first;
    await input.fill('taken-second');
    expect((await aborted).postData()).toContain('hang-first');
    await expect.poll(async () => (await rows(page)).join()).toBe('taken-second.test: Taken');
    await input.fill('-');
    await expect.poll(() => status(page)).toContain('"-" is not one label of a domain name');
    await input.fill('');
    await expect.poll(() => status(page)).toBe('');
    expect(await rows(page)).toEqual([]);
  });
});

it('ends its search when it is removed from the page', async (context) => {
  await withElement(context, '<domain-search tlds="test"></domain-search>', async (page) => {
    const sent = page.waitForRequest((request) => request.postData()?.includes('hang') === true);
    await page.getByLabel('Domain name').fill('hang');
    await sent;
    const aborted = page.waitForEvent('requestfailed');
    await page.evaluate("document.querySelector('domain-search').remove()");
    await aborted;
  });
});

it('sends a key to the gateway that it names', async (context) => {
  await using metered = await startMeteredGateway();
  const { key, balance } = await metered.newCustomer({ credits: 10 });
  const { url } = metered.gateway;
  const element = `<domain-search gateway="${url}" api-key="${key}" tlds="example"></domain-search>`;
  await withElement(
    context,
    element,
    async (page) => {
      await page.getByLabel('Domain name').fill('free');
      await expect.poll(() => status(page)).toBe('1 of 1 name is available.');
    },
    url,
  );
  if (!('absent' in started)) expect((await balance()).used).toBe(1);
});

it('has no accessibility violations', async (context) => {
  await withElement(context, '<domain-search tlds="@test"></domain-search>', async (page) => {
    await page.getByLabel('Domain name').fill('taken');
    await expect.poll(() => status(page)).toBe('0 of 4 names are available.');
    await page.evaluate(axe);
    const violations = await page.evaluate(
      'axe.run().then(({ violations: all }) => all.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
    );
    expect(violations).toEqual([]);
  });
});

it('takes at most 15 KB over the wire, with the client, compressed but not minified', () => {
  expect(compressedSize()).toBeLessThanOrEqual(15_000);
});
