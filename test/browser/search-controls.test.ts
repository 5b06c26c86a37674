import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { domainToUnicode } from 'node:url';
import { describe, expect } from 'vitest';
import { tldSets } from '../../src/domain/names/tld-sets.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';
import { paused } from '../support/bodies/scripts.ts';
import { it, popular, soon } from '../support/requests/search-page.ts';

const idea = { search: '?q=idea' };
const namesOf = (label: string, tlds: readonly string[] = []) =>
  tlds.map((tld) => `${label}.${tld}`);

describe('the choice of TLDs', () => {
  it('searches a set of the gateway, which is stored in the URL', async ({ openPage }) => {
    const { page, names } = await openPage(idea);
    await soon(names).toEqual(namesOf('idea', popular));
    await page.getByText('Tech', { exact: true }).click();
    await soon(names).toEqual(namesOf('idea', tldSets['tech']?.tlds));
    await page.reload();
    await soon(names).toEqual(namesOf('idea', tldSets['tech']?.tlds));
  });

  it('searches a hundred of all TLDs, and more when their end comes into view', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    const tlds = Array.from({ length: 150 }, (_, at) => `tld${String(at).padStart(3, '0')}`);
    // Without the built-in servers, which are on the internet.
    const none = { rdap: null, das: null, whois: null, dns: null };
    const own = Object.fromEntries(tlds.map((tld) => [tld, { rdap: [registry.baseUrl] }]));
    await using sources = await writeBootstrap({ suffixes: { '': none, ...own } });
    const gateway = await openGateway({ env: { SOURCES_FILE: sources.path } });
    const { tlds: all } = await gateway.get('/v1/tlds?limit=10000');
    const expected = all.map(({ tld }: { tld: string }) => `idea.${tld}`);
    const { page, names, summary } = await openPage({ search: '?q=idea&set=all' }, gateway);
    const left = expected.length - 100;
    await soon(async () => countsIn(await summary())).toBe(100);
    expect(await page.locator('#loaded').innerText()).toBe(
      `100 of ${expected.length} TLDs are loaded`,
    );
    expect(registry.requestCount(expected[100])).toBe(0);
    await page
      .getByRole('button', { name: `Show more TLDs (${left} left)` })
      .scrollIntoViewIfNeeded();
    await soon(async () => (await names()).length).toBe(Math.min(200, expected.length));
    expect(await names()).toEqual(expected.slice(0, 200).map(domainToUnicode));
    // The summary is that of the whole search.
    await soon(async () => countsIn(await summary())).toBe(Math.min(200, expected.length));
  });

  it('searches a list of the user, which the browser stores', async ({ openPage }) => {
    const { page, names } = await openPage(idea);
    await page.getByText('My list', { exact: true }).click();
    await page.getByLabel('TLDs, separated by spaces or commas').fill('.dev, COM dev @popular');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await soon(names).toEqual(['idea.dev', 'idea.com']);
    await page.reload();
    await soon(names).toEqual(['idea.dev', 'idea.com']);
    await page.getByRole('button', { name: 'Edit list' }).click();
    await page.getByLabel('TLDs, separated by spaces or commas').fill('net');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await names()).toEqual(['idea.dev', 'idea.com']);
  });
});

it('the sets of the operator can be chosen, and are stored in the URL', async ({
  openGateway,
  openPage,
}) => {
  await using files = await scratch();
  const path = join(files.path, 'sets.json');
  await writeFile(path, JSON.stringify({ 'My brands': ['shop.test', 'app.test'] }));
  const gateway = await openGateway({ env: { SETS_FILE: path } });
  const { page, names } = await openPage(idea, gateway);
  await page.getByText('My brands', { exact: true }).click();
  await soon(names).toEqual(['idea.shop.test', 'idea.app.test']);
  expect(new URL(page.url()).search).toBe('?q=idea&set=my-brands');
  await page.reload();
  await soon(names).toEqual(['idea.shop.test', 'idea.app.test']);
});

describe('the tiles', () => {
  it('can be reduced to available names', async ({ registry, openPage }) => {
    registry.on(/\.(?:com|net)$/, ({ name }) => registered(name));
    const { page, names, summary } = await openPage(idea);
    await soon(summary).toBe(`${popular.length - 2} available · 2 taken`);
    await page.getByLabel('Only available').check();
    expect(await names()).toEqual(namesOf('idea', popular.slice(2)));
    await page.getByLabel('Only available').uncheck();
    expect(await names()).toEqual(namesOf('idea', popular));
  });

  it('can be sorted by TLD, and by availability once it is known', async ({
    registry,
    openPage,
  }) => {
    const last = paused(notFound());
    registry.on('idea.pl', last);
    registry.on('idea.com', registered('idea.com'));
    const { page, names, summary } = await openPage(idea);
    await soon(summary).toBe(`${popular.length - 2} available · 1 taken · 1 checking`);
    await page.getByLabel('Sort').selectOption('A to Z');
    expect(await names()).toEqual(namesOf('idea', popular.toSorted()));
    await page.getByLabel('Sort').selectOption('Available first');
    expect((await names()).slice(-2)).toEqual(['idea.com', 'idea.pl']);
    last.release();
    await soon(async () => (await names()).at(-1)).toBe('idea.com');
  });
});

describe('the details of a name', () => {
  it('have a URL of their own, which opens them, and which Back leaves', async ({
    registry,
    openPage,
  }) => {
    registry.on('idea.com', registered('idea.com'));
    const { page, tile, panel, verdict } = await openPage(idea);
    await soon(() => verdict('idea.com')).toBe('Taken');
    await tile('idea.com').click();
    await soon(() => panel.innerText()).toMatch(/^idea.com[^]*Taken[^]*RDAP: registered/);
    expect(new URL(page.url()).search).toBe('?q=idea&d=idea.com');
    await page.goBack();
    await soon(() => panel.isVisible()).toBe(false);
    await page.goForward();
    await soon(() => panel.isVisible()).toBe(true);
    await page.reload();
    await soon(() => panel.getByRole('heading').first().innerText()).toBe('idea.com');
    await page.getByRole('button', { name: 'Close' }).click();
    await soon(() => new URL(page.url()).search).toBe('?q=idea');
    expect(await panel.isVisible()).toBe(false);
  });

  it('show a registration from WHOIS with its source', async ({ openPage }) => {
    const { panel } = await openPage({
      search: '?q=taken.whois-only.test&d=taken.whois-only.test',
    });
    await soon(() => panel.innerText()).toMatch(
      /SANDBOX-REGISTRAR[^]*2099[^]*Read from\s+WHOIS, a text/,
    );
    expect(await panel.getByText('Raw RDAP response').isVisible()).toBe(false);
  });

  it('show for what the owner offers the name, and on request what is there', async ({
    openPage,
  }) => {
    const { panel } = await openPage({ search: '?d=taken-for-sale.test' });
    await soon(() => panel.innerText()).toMatch(/For sale\s+An example of the sandbox[^]*999 EUR/);
    expect(await panel.innerText()).toContain('Free of charge.');
    await panel.getByRole('button', { name: 'What is there?' }).click();
    await panel.getByText('Sandbox shop at taken-for-sale.test').waitFor();
  });

  it('say that a name is for sale if its owner states nothing else', async ({
    registry,
    openPage,
  }) => {
    registry.on('idea.com', registered('idea.com'));
    const { page, tile, panel } = await openPage(idea);
    // As for the record `v=FORSALE1;`.
    const json = { data: { domain: { forSale: { forSale: true, offers: [] } } } };
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Sale(')
        ? route.fulfill({ json })
        : route.fallback(),
    );
    await tile('idea.com').click();
    await soon(() => panel.innerText()).toMatch(/For sale\s+Offered by its owner/);
  });

  it('match the URL after Back and Forward in quick succession', async ({ registry, openPage }) => {
    registry.on('idea.com', registered('idea.com'));
    const { page, tile, panel } = await openPage(idea);
    await tile('idea.com').click();
    await panel.getByText('RDAP: registered').waitFor();
    for (let round = 0; round < 10; round += 1) await page.evaluate(backAndForward);
    await panel.getByText('RDAP: registered').waitFor();
    expect(new URL(page.url()).search).toBe('?q=idea&d=idea.com');
  });

  // Without a frame between the two: Chromium reports with the next one that a dialog was closed.
  const backAndForward = `(async () => {
    for (const move of ['back', 'forward']) {
      const moved = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history[move]();
      await moved;
    }
  })()`;

  it.for([
    {
      name: 'taken.test',
      shows: [
        'Taken',
        'Sandbox Registrar Ltd',
        'abuse@registrar.example',
        'ns1.example-dns.test',
        'RDAP: registered',
        'Authoritative',
        'Visit site',
        'Raw RDAP response',
      ],
      hides: ['Register'],
    },
    {
      name: 'idea.test',
      shows: ['Available', 'The registrar sets the price', 'Register'],
      hides: ['Visit site', 'Registrar', 'Raw RDAP response'],
    },
    { name: 'bücher.test', shows: ['bücher.test', 'xn--bcher-kva.test'], hides: ['Visit site'] },
    {
      name: 'down.test',
      shows: ['No answer, error', 'The registry returned status 500.', 'RDAP: registry error'],
      hides: ['Register', 'Visit site', 'Confidence'],
    },
    {
      name: 'free.dns-only.test',
      shows: [
        'Can’t be proved',
        'Availability cannot be proven for this TLD',
        'DNS: no delegation',
      ],
      hides: ['Register', 'Visit site'],
    },
    { name: 'a.b.idea.test', shows: ['Invalid'], hides: ['Register', 'Visit site'] },
  ])('of $name are complete', async ({ name, shows, hides }, { openGateway, openPage }) => {
    const gateway = await openGateway({ env: { REGISTER_URL: registerUrl } });
    const { panel } = await openPage({ search: `?d=${encodeURIComponent(name)}` }, gateway);
    for (const text of shows)
      await soon(() => panel.getByText(text).filter({ visible: true }).count()).not.toBe(0);
    for (const text of hides)
      expect(
        await panel.getByText(text, { exact: true }).filter({ visible: true }).count(),
        text,
      ).toBe(0);
  });

  it('link to the place where the operator sends buyers', async ({ openGateway, openPage }) => {
    const gateway = await openGateway({ env: { REGISTER_URL: registerUrl } });
    const { page, headline, panel } = await openPage({ search: '?q=bücher.dev' }, gateway);
    const href = 'https://registrar.example/?a="b"&domain=xn--bcher-kva.dev';
    await headline.getByRole('link', { name: 'Register' }).waitFor();
    const link = headline.getByRole('link', { name: 'Register' });
    expect(await link.getAttribute('href')).toBe(href);
    await page.getByRole('button', { name: 'Details' }).click();
    const panelLink = panel.getByRole('link', { name: 'Register' });
    await soon(() => panelLink.isVisible()).toBe(true);
    expect(await panelLink.getAttribute('href')).toBe(href);
  });

  it('link to the cheapest offer, before that place', async ({ openGateway, openPage }) => {
    await using folder = await scratch();
    const OFFERS_FILE = join(folder.path, 'offers.csv');
    const columns = 'tld,seller,register,renew,currency,url';
    const offer = 'dev,Registrar,9.9,14.99,USD,https://registrar.example/{name}?a=b';
    await writeFile(OFFERS_FILE, `${columns}\n${offer}\n`);
    const gateway = await openGateway({ env: { OFFERS_FILE, REGISTER_URL: registerUrl } });
    const { page, headline, panel } = await openPage({ search: '?q=bücher.dev' }, gateway);
    const text = 'Register at Registrar: $9.90, then $14.99 a year';
    await soon(() => headline.getByRole('link').allInnerTexts()).toEqual([text, 'Register']);
    await soon(() => headline.locator('.verdict').innerText()).toContain('$9.90');
    await page.getByRole('button', { name: 'Details' }).click();
    const link = panel.getByRole('link', { name: text });
    await soon(() => link.isVisible()).toBe(true);
    expect(await link.getAttribute('href')).toBe('https://registrar.example/xn--bcher-kva.dev?a=b');
    expect(await link.getAttribute('rel')).toMatch(/^no/);
  });

  it('do not link to a registrar unless the operator configures one', async ({ openPage }) => {
    const { headline } = await openPage({ search: '?q=idea.dev' });
    await soon(() => headline.innerText()).toContain('Available');
    expect(await headline.getByRole('link').count()).toBe(0);
  });

  it('can be copied', async ({ openGateway, openPage }) => {
    const gateway = await openGateway();
    const { page } = await openPage(
      {
        search: '?d=b%C3%BCcher.test',
        context: { permissions: ['clipboard-read', 'clipboard-write'] },
      },
      gateway,
    );
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy name' }).click();
    await soon(copied).toBe('bücher.test');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await soon(copied).toBe(`${gateway.url}/?d=b%C3%BCcher.test`);
  });

  const registerUrl = 'https://registrar.example/?a="b"&domain={domain}';
});

describe('the keyboard', () => {
  it('focuses the field with a slash, and clears it with Escape', async ({ openPage }) => {
    const { page, field, names } = await openPage(idea);
    await soon(names).toContain('idea.com');
    await page.getByLabel('Only available').focus();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('label');
    await page.keyboard.press('End');
    await page.keyboard.type('/x');
    expect(await field.inputValue()).toBe('idea/x');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    await soon(names).toEqual([]);
  });

  it('moves through the grid with arrow keys, as a single tab stop', async ({ openPage }) => {
    const { page, field, verdict } = await openPage(idea);
    const focused = () =>
      page.evaluate(
        'document.activeElement.closest("li")?.dataset.domain ?? document.activeElement.id',
      );
    await soon(() => verdict('idea.com')).toBe('Available');
    await field.focus();
    const moves = [
      ['ArrowDown', 'idea.com'],
      ['ArrowRight', 'idea.net'],
      ['End', 'idea.pl'],
      ['Home', 'idea.com'],
      ['ArrowDown', `idea.${popular[5]}`],
      ['ArrowLeft', `idea.${popular[4]}`],
      ['ArrowUp', 'label'],
      ['ArrowDown', `idea.${popular[4]}`],
    ] as const;
    for (const [key, name] of moves) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
    }
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe(
      `Shortlist idea.${popular[4]}`,
    );
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("#grid")')).toBe(null);
  });

  it('opens and closes the details, and returns to the tile', async ({ openPage }) => {
    const { page, field, verdict, panel } = await openPage(idea);
    await soon(() => verdict('idea.com')).toBe('Available');
    await field.focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await soon(() => panel.innerText()).toMatch(/^idea.net/);
    await page.keyboard.press('Escape');
    expect(await panel.isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.parentElement.dataset.domain')).toBe(
      'idea.net',
    );
  });
});

/** Returns the sum of the counts in a summary. */
function countsIn(summary: string): number {
  return Array.from(summary.matchAll(/\d+/g), Number).reduce((sum, count) => sum + count, 0);
}
