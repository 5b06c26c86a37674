import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { bundleElement } from '../../scripts/bundle-element.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { actionTimeoutMs, startBrowser } from '../support/requests/browser.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { scratch } from '../support/stores/scratch.ts';

// cspell:ignore redfoxfree

/** The files of the npm package. */
const scripts = await bundleElement();
const compressedSize = (names: Iterable<string>) =>
  Array.from(names, (name) => gzipSync(scripts.get(name) ?? '').length).reduce(
    (sum, size) => sum + size,
    0,
  );

const started = await forThisFile(startBrowser);

const gateway = await forThisFile(startGateway);

/** The strictest policy under which the element works. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";

/** Opens a page of the gateway's origin that has the element. Expects its errors after the test. */
async function openElement(
  context: TestContext,
  element: string,
  { url = gateway.url, expected = [] }: { url?: string; expected?: readonly string[] } = {},
): Promise<Page> {
  if ('absent' in started) return context.skip(started.absent);
  const page = await started.browser.newPage();
  page.setDefaultTimeout(actionTimeoutMs);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  await serveScripts(page);
  await page.route('**/element', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': policy },
      body: `<!doctype html><html lang="en"><title>Search</title><main><h1>Search</h1>${element}</main><script type="module" src="/client/domain-search.js"></script></html>`,
    }),
  );
  onTestFinished(async () => {
    await page.close();
    expect([...new Set(errors)]).toEqual(expected);
  });
  await page.goto(`${url}/element`);
  return page;
}

async function serveScripts(page: Page): Promise<void> {
  for (const [name, body] of scripts)
    await page.route(`**/client/${name}*`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
}

const rows = (page: Page) =>
  page
    .locator('domain-search .tile')
    .evaluateAll((tiles) => tiles.map(({ ariaLabel }) => String(ariaLabel)));
const status = (page: Page) => page.getByRole('status').innerText();
const lineOf = (page: Page) => page.locator('domain-search [part=reading]').innerText();

it('says in the row what is likely, and what to check', async (context) => {
  const page = await openElement(context, '<domain-search></domain-search>');
  await page.getByRole('textbox').fill('free.whois-only.test');
  await expect.poll(() => rows(page)).toEqual([expect.stringMatching(/: Likely available$/)]);
  await page.getByRole('textbox').fill('bücher.test');
  await expect.poll(() => rows(page)).toEqual([expect.stringMatching(/: Available/)]);
});

it('shows a label under each TLD as soon as its lookup has completed', async (context) => {
  const element = '<domain-search tlds="test shop.test" label="Your idea"></domain-search>';
  const page = await openElement(context, element);
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

it('shows unknown apart from available and taken, for full names, too', async (context) => {
  const page = await openElement(context, '<domain-search></domain-search>');
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

it('shows only the latest search, and the reason of a rejected one', async (context) => {
  const page = await openElement(context, '<domain-search tlds="test"></domain-search>');
  const input = page.getByLabel('Domain name');
  const first = page.waitForRequest((request) => request.postData()?.includes('hang') === true);
  const aborted = page.waitForEvent('requestfailed');
  await input.fill('hang-first');
  await first;
  await input.fill('taken-second');
  expect((await aborted).postData()).toContain('hang-first');
  await expect.poll(async () => (await rows(page)).join()).toBe('taken-second.test: Taken');
  await page.evaluate("document.querySelector('domain-search').setAttribute('tlds', '@nope')");
  await input.fill('free');
  await expect.poll(() => status(page)).toContain('"@nope" is not a set');
  await input.fill('');
  await expect.poll(() => status(page)).toBe('');
  expect(await rows(page)).toEqual([]);
});

it('ends its search when it is removed from the page', async (context) => {
  const page = await openElement(context, '<domain-search tlds="test"></domain-search>');
  const sent = page.waitForRequest((request) => request.postData()?.includes('hang') === true);
  await page.getByLabel('Domain name').fill('hang');
  await sent;
  const aborted = page.waitForEvent('requestfailed');
  await page.evaluate("document.querySelector('domain-search').remove()");
  await aborted;
});

it('goes on with its search when it is moved in the page', async (context) => {
  const element = '<domain-search tlds="test"></domain-search><div id="other"></div>';
  const page = await openElement(context, element);
  await page.getByRole('textbox').fill('slow-idea');
  await expect.poll(() => rows(page)).toEqual(['slow-idea.test: Checking']);
  await page.evaluate("other.append(document.querySelector('domain-search'))");
  await expect.poll(() => rows(page)).toEqual(['slow-idea.test: Taken']);
  expect(await status(page)).toBe('0 of 1 name is available.');
});

it('checks the popular TLDs if the attribute is empty', async (context) => {
  const page = await openElement(context, '<domain-search tlds=" "></domain-search>');
  await page.getByRole('textbox').fill('idea');
  await expect.poll(async () => (await rows(page)).join()).toMatch(/^idea\.com: /);
});

it('sends a key to the gateway that it names', async (context) => {
  await using metered = await startMeteredGateway();
  const { key, balance } = await metered.newCustomer({ credits: 10 });
  const { url } = metered.gateway;
  const element = `<domain-search gateway="${url}" api-key="${key}" tlds="example"></domain-search>`;
  const page = await openElement(context, element, { url });
  await page.getByLabel('Domain name').fill('free');
  await expect.poll(() => status(page)).toBe('1 of 1 name is available.');
  expect((await balance()).used).toBe(1);
});

it('has no accessibility violations', async (context) => {
  const page = await openElement(context, '<domain-search tlds="@test"></domain-search>');
  await page.getByLabel('Domain name').fill('taken');
  await expect.poll(() => status(page)).toBe('0 of 4 names are available.');
  expect(await accessibilityViolations(page)).toEqual([]);
});

const asked = (request: Request): readonly string[] => {
  const { domains, name, tlds } = JSON.parse(request.postData() ?? '{}').variables ?? {};
  return domains ?? (name === undefined ? [] : tlds.map((tld: string) => `${name}.${tld}`));
};

it.for([
  ['1. free\n2. **taken**\n', 'Showing 2 names.', ['free', 'taken']],
  ['My ideas:\n\n- free – short\n- taken (warm)', 'Left out: 1 line', ['free', 'taken']],
  [
    '| Name | Why |\n|---|---|\n| free.test | warm |\n| taken.test | bold |',
    '2 names',
    ['free', 'taken'],
  ],
  ['# hare.test\nfree.test # not fox.test', 'for free.test', ['free']],
  ['free.test or taken.test', '2 names', ['free', 'taken']],
  ['hxxps://free[.]test/path', 'for free.test', ['free']],
  ['Write to me@taken.test', 'taken.test', ['taken']],
  ['{free,taken}.test', '2 names', ['free', 'taken']],
  ['https://blog.taken.test/about?from=fox.com', 'for taken.test', ['taken']],
  ['192.0.2.1', '192.0.2.1 is an IP address, not a domain name.', []],
  ['AS64500', 'AS64500 is an AS number, not a domain name. Search as64500 instead', []],
  ['-', 'Type a name, or paste a link or a list.', []],
  ['d41d8cd98f00b204e9800998ecf8427e', 'more likely a hash sum', []],
] as const)('reads texts like the search page: %j', async ([text, line, labels], context) => {
  const page = await openElement(context, '<domain-search tlds="test"></domain-search>');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(...asked(request)));
  await page.getByLabel('Domain name').fill(text);
  await expect.poll(() => lineOf(page)).toContain(line);
  const names = labels.map((label) => `${label}.test`);
  await expect
    .poll(() => rows(page))
    .toEqual(names.map((name) => `${name}: ${name === 'free.test' ? 'Available' : 'Taken'}`));
  expect([...new Set(requested)].filter((name) => !name.startsWith('blog.'))).toEqual(names);
});

it('offers the other readings of a text', async (context) => {
  const page = await openElement(context, '<domain-search tlds="test"></domain-search>');
  const input = page.getByLabel('Domain name');
  await input.fill('red fox free');
  await expect
    .poll(() => lineOf(page))
    .toBe('Showing results for redfoxfree. Search red-fox-free instead Check as 3 names');
  await page.getByRole('button', { name: 'Check as 3 names' }).click();
  await expect.poll(() => status(page)).toBe('3 of 3 names are available.');
  expect(await input.inputValue()).toBe('red, fox, free');
  await input.press('Escape');
  await expect.poll(() => rows(page)).toEqual([]);
});

it('checks a plain name without what reads texts, which it loads again with the next text', async (context) => {
  const expected = ['Failed to load resource: net::ERR_FAILED'];
  const page = await openElement(context, '<domain-search tlds="test"></domain-search>', {
    expected,
  });
  const file = '**/client/domain-search-text.js*';
  await page.route(file, (route) => route.abort());
  const input = page.getByLabel('Domain name');
  await input.fill('free');
  await expect.poll(() => rows(page)).toEqual(['free.test: Available']);
  await input.fill('free, taken');
  await expect.poll(() => lineOf(page)).toContain('could not be loaded');
  expect(await rows(page)).toEqual([]);
  await page.unroute(file);
  await serveScripts(page);
  await input.fill('taken, free');
  await expect.poll(() => lineOf(page)).toBe('Showing 2 names.');
  await expect.poll(() => status(page)).toBe('1 of 2 names are available.');
});

it.for(['as it is', 'bundled with a site'])(
  'is loaded from another origin, %s',
  async (form, context) => {
    if ('absent' in started) return context.skip(started.absent);
    await using cleanup = new AsyncDisposableStack();
    const { url } = cleanup.use(await startGateway({ env: { AUTH: 'open' } }));
    const files = form === 'as it is' ? scripts : await bundledAgain();
    const element = `<domain-search gateway="${url}" tlds="test"></domain-search>`;
    const { port } = cleanup.use(
      await startHttpServer((request, response) => {
        const code = files.get(basename(request.url ?? ''));
        response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript');
        if (code !== undefined) response.setHeader('access-control-allow-origin', '*');
        const src = `http://127.0.0.1:${port}/scripts/domain-search.js`;
        response.end(
          code ?? `<!doctype html>${element}<script type="module" src="${src}"></script>`,
        );
      }, '0.0.0.0'),
    );
    const page = await started.browser.newPage();
    cleanup.defer(() => page.close());
    await page.goto(`http://localhost:${port}/`);
    await page.getByLabel('Domain name').fill('- free\n- taken');
    await expect.poll(() => status(page)).toBe('1 of 2 names are available.');
  },
);

/** Bundles the files of the npm package, as those who use a bundler do. */
async function bundledAgain(): Promise<ReadonlyMap<string, string>> {
  await using folder = await scratch();
  for (const [name, code] of scripts) await writeFile(join(folder.path, name), code);
  await using bundle = await rolldown({ input: join(folder.path, 'domain-search.js') });
  const { output } = await bundle.generate({ chunkFileNames: 'chunk-[hash].js' });
  return new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])),
  );
}

it('takes at most 15 KB over the wire at first, and 25 KB in all, compressed', () => {
  expect(Array.from(scripts.keys())).toEqual(['domain-search.js', 'domain-search-text.js']);
  expect(compressedSize(['domain-search.js'])).toBeLessThanOrEqual(15_000);
  expect(compressedSize(scripts.keys())).toBeLessThanOrEqual(25_000);
});
