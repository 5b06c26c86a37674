import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import type { FakeRegistry } from '../support/servers/fake-registry.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { it, soon, type SearchPage } from '../support/requests/search-page.ts';
import { startWatching } from '../watches/watching.ts';

const failed = (status: string) =>
  `Failed to load resource: the server responded with a status of ${status}`;
const rowOf = ({ page }: Pick<SearchPage, 'page'>, name: string) =>
  page.locator('#grid li', { has: page.getByText(name, { exact: true }) });
const watchButton = (page: Page, name: string) =>
  page.locator('#grid').getByRole('button', { name: `Watch ${name}`, exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Watched names' });
const useKey = async (page: Page, key: string) => {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
};

describe('the search page watches names', () => {
  it('that are taken, reserved or cannot be proved to be available, until it stops', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway({ env: { AUTH: 'open' } });
    const names = ['taken', 'reserved', 'redemption', 'free.dns-only', 'bluefox', 'down', 'x.y'];
    const search = `?q=${names.map((name) => `${name}.test`).join()},idea.unknown-tld`;
    const watched = async () =>
      (await gateway.get('/v1/watches')).watches.map(({ domain }: { domain: string }) => domain);
    const { page, headline } = await openPage({ search }, gateway);
    const buttons = page.locator('#grid').getByRole('button', { name: /^Watch / });
    await soon(() => buttons.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel))).toEqual(
      names.slice(0, 4).map((name) => `Watch ${name}.test`),
    );
    const taken = watchButton(page, 'taken.test');
    await taken.click();
    await soon(() => taken.getAttribute('aria-pressed')).toBe('true');
    expect(await watched()).toEqual(['taken.test']);
    // The same name above the grid, and in its details.
    await page.goto(`${gateway.url}/?q=taken.test&set=test`);
    await soon(() =>
      headline.getByRole('button', { name: 'Watch taken.test' }).getAttribute('aria-pressed'),
    ).toBe('true');
    await headline.getByRole('button', { name: 'Details' }).click();
    const inPanel = page.locator('#panel').getByRole('button', { name: 'Watch taken.test' });
    await soon(() => inPanel.getAttribute('aria-pressed')).toBe('true');
    await inPanel.click();
    await soon(() => inPanel.getAttribute('aria-pressed')).toBe('false');
    expect(await watched()).toEqual([]);
  });

  it('and lists them with their last changes as they are seen, for the keyboard alone', async ({
    openPage,
    parts,
  }) => {
    const watching = parts.use(await startWatching({ clock: systemClock, env: { AUTH: 'open' } }));
    const { gateway } = watching;
    await gateway.post('/v1/watches', {
      domains: ['taken.test', 'redemption.test', 'bücher.test'],
    });
    await watching.change('xn--bcher-kva.test', 'EXPIRY');
    const { page } = await openPage({}, gateway);
    const opener = page.getByRole('button', { name: 'Watching 3' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = dialogOf(page);
    const row = (name: string) => dialog.locator('.watched li', { hasText: name });
    await soon(() => row('bücher.test').innerText()).toMatch(/Now expires \w+ \d+, 202[78]/);
    expect(await row('taken.test').innerText()).toContain('No change seen yet');
    await watching.change('taken.test', 'REGISTRAR');
    await soon(() => row('taken.test').innerText()).toContain('Moved to New');
    const unwatch = dialog.getByRole('button', { name: 'Unwatch redemption.test' });
    await unwatch.focus();
    await page.keyboard.press('Space');
    await unwatch.waitFor({ state: 'detached' });
    // The focus stays in the list.
    await soon(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Unwatch taken.test');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Watching 2' }).waitFor();
  });

  it('and gives feed readers and calendars addresses, until they are revoked', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway({ env: { AUTH: 'open' } });
    await gateway.post('/v1/watches', { domains: ['taken.test'] });
    const context = { permissions: ['clipboard-read', 'clipboard-write'] };
    const { page } = await openPage({ context }, gateway);
    await page.getByRole('button', { name: 'Watching 1' }).click();
    await page.getByRole('button', { name: 'Create addresses' }).click();
    const addresses: string[] = [];
    for (const kind of ['feed', 'calendar']) {
      await page.getByRole('button', { name: `Copy ${kind} address` }).click();
      await page.getByRole('button', { name: 'Copied' }).first().waitFor();
      addresses.push(await page.evaluate<string>('navigator.clipboard.readText()'));
    }
    const statuses = () =>
      Promise.all(addresses.map(async (address) => (await fetch(address)).status));
    expect(await statuses()).toEqual([200, 200]);
    // The addresses are shown once, but can be revoked later.
    await page.reload();
    await page.getByRole('button', { name: 'Watching 1' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await soon(statuses).toEqual([404, 404]);
    await soon(() => page.locator('.feeds li').count()).toBe(0);
  });
});

/** More TLDs than are loaded at once, without the built-in servers, which are on the internet. */
function tldsOf({ baseUrl }: FakeRegistry) {
  const none = { rdap: null, das: null, whois: null, dns: null };
  const labels = ['us', ...Array.from({ length: 120 }, (_, at) => `tld${at}`)];
  return { '': none, ...Object.fromEntries(labels.map((tld) => [tld, { rdap: [baseUrl] }])) };
}

describe('a name that cannot be watched', () => {
  it('says so in its row: too few credits', async ({ registry, openPage, parts }) => {
    registry.on(/^(?:idea|nic|taken)\./, ({ name }) => registered(name));
    await using sources = await writeBootstrap({ suffixes: tldsOf(registry) });
    const metered = parts.use(await startMeteredGateway({ env: { SOURCES_FILE: sources.path } }));
    const customer = await metered.newCustomer({ credits: 6 });
    const expectedErrors = [failed('401 (Unauthorized)')];
    const search = await openPage(
      { search: '?q=taken.us,taken.test', expectedErrors },
      metered.gateway,
    );
    const { page } = search;
    await useKey(page, customer.key);
    await watchButton(page, 'taken.us').click();
    const alert = rowOf(search, 'taken').first().getByRole('alert');
    await soon(() => alert.innerText()).toContain('costs 10 credits');
    // What is free can be watched all the same.
    await watchButton(page, 'taken.test').click();
    await page.getByRole('button', { name: 'Watching 1' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    // What is there costs nothing until it is requested, and the price is said before.
    const json = { data: { domain: { forSale: null } } };
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Sale(')
        ? route.fulfill({ json })
        : route.fallback(),
    );
    await search.tile('taken.us').click();
    await search.panel.getByText('Costs 2 credits.').waitFor();
    // Scrolling does not spend the last credits, but the button can.
    const pages: unknown[] = [];
    page.on('request', (request) => void pages.push(request.postDataJSON()?.variables?.after));
    await page.goto(`${metered.gateway.url}/?q=idea&set=all`);
    await soon(() => page.locator('#credits').innerText()).toBe('1 of 6 credits left');
    const more = page.getByRole('button', { name: 'Show more TLDs' });
    await more.scrollIntoViewIfNeeded();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(pages.filter(Boolean)).toEqual([]);
    await more.click();
    await soon(() => more.isVisible()).toBe(false);
  });

  it('says so in its row: more than 100 names without a key, or too many requests', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway({ env: { AUTH: 'open', RATE_LIMIT: '60' } });
    const domains = Array.from({ length: 100 }, (_, at) => `a${at}.test`);
    await gateway.post('/v1/watches', { domains });
    const expectedErrors = [failed('429 (Too Many Requests)')];
    const search = await openPage(
      { search: '?q=taken.test,reserved.test', expectedErrors },
      gateway,
    );
    const { page } = search;
    const button = watchButton(page, 'taken.test');
    const alert = rowOf(search, 'taken').getByRole('alert');
    await button.click();
    await soon(() => alert.innerText()).toContain('at most 100 names');
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    const clickLimited = async () => {
      while ((await gateway.fetch('/v1/watches')).status !== 429);
      await button.click();
      return alert.innerText();
    };
    await soon(clickLimited).toMatch(/^Too many requests\. Try again in \d+ s\.$/);
  });

  it('has no button without a key, and its details say why', async ({ openPage, parts }) => {
    const metered = parts.use(await startMeteredGateway());
    const customer = await metered.newCustomer();
    const { page, panel } = await openPage(
      { search: '?q=taken.test&d=taken.test', expectedErrors: [failed('401 (Unauthorized)')] },
      metered.gateway,
    );
    await panel.getByText('Watching a name requires an API key.').waitFor();
    expect(await page.getByRole('button', { name: /^Watch/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await useKey(page, customer.key);
    await page.getByRole('button', { name: 'Watch taken.test' }).first().waitFor();
    await page.getByRole('button', { name: 'Watching' }).waitFor();
  });
});
