import { domainToASCII } from 'node:url';
import { describe, expect } from 'vitest';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import type { FakeRegistry } from '../support/servers/fake-registry.ts';
import { startFlakyProxy } from '../support/servers/flaky-proxy.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import { scrapeUntil } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';
import { it, popular, soon } from '../support/requests/search-page.ts';

const queriedNames = (registry: FakeRegistry, label: string): readonly string[] =>
  registry.requests.map(({ name }) => name).filter((name) => name.startsWith(`${label}.`));

describe('a search', () => {
  it('shows full names with a verdict, and counts those of the whole search', async ({
    registry,
    openPage,
  }) => {
    registry.on('idea.com', registered('idea.com'));
    registry.on('idea.net', notFound('This name is not available for registration.'));
    registry.on('idea.org', status(500));
    const { field, names, verdict, summary } = await openPage(phone);
    await field.fill('idea');
    await soon(summary).toBe(`${popular.length - 3} available · 1 taken · 1 reserved · 1 unknown`);
    expect(await names()).toEqual(popular.map((tld) => `idea.${tld}`));
    const verdicts = await Promise.all(popular.slice(0, 4).map((tld) => verdict(`idea.${tld}`)));
    expect(verdicts).toEqual(['Taken', 'Reserved', 'No answer error', 'Available']);
  });

  it('shows each row when its registry responds, without moving a tile', async ({
    registry,
    openPage,
  }) => {
    const [first, slow] = [paused(notFound()), paused(registered('idea.net'))];
    registry.on('idea.com', first);
    registry.on('idea.net', slow);
    const { page, field, tile, verdict, summary } = await openPage();
    const two = () => Promise.all(['idea.com', 'idea.net'].map(verdict));
    await field.fill('idea');
    await soon(summary).toBe(`${popular.length - 2} available · 0 taken · 2 checking`);
    expect(await two()).toEqual(['Checking', 'Checking']);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    const boxes = () =>
      Promise.all(['idea.com', 'idea.pl'].map((name) => tile(name).boundingBox()));
    const before = await boxes();
    first.release();
    await soon(two).toEqual(['Available', 'Checking']);
    slow.release();
    await soon(two).toEqual(['Available', 'Taken']);
    expect(await boxes()).toEqual(before);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
  });

  it('is announced to screen readers once, when it is complete', async ({ registry, openPage }) => {
    const last = paused(notFound());
    registry.on('idea.com', last);
    const { page, field, summary } = await openPage();
    const announcement = page.locator('#announcement');
    expect(await announcement.getAttribute('role')).toBe('status');
    await field.fill('idea');
    await soon(summary).toMatch(`${popular.length - 1} available`);
    expect(await announcement.textContent()).toBe('');
    last.release();
    await soon(() => announcement.textContent()).toBe(
      `${popular.length} names checked: ${popular.length} available, 0 taken.`,
    );
  });

  it('is cancelled with its unsent lookups by the next keystroke', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    const first = paused(notFound());
    registry.on(/^first\./, first);
    const gateway = await openGateway({ env: { RDAP_CONCURRENCY: '2' } });
    const { page, field, summary } = await openPage({ search: '?q=first' }, gateway);
    await registry.when(({ inFlight }) => inFlight === 2);
    await Promise.all([page.waitForEvent('requestfailed'), field.fill('second')]);
    // The first search has ended once the gateway has noticed that it was aborted.
    await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_streams_total') === 1);
    first.release();
    // If lookups of the first search were still queued, they would be sent before the others.
    await soon(summary).toMatch(`${popular.length} available`);
    expect(queriedNames(registry, 'first')).toHaveLength(2);
    expect(queriedNames(registry, 'second')).toHaveLength(popular.length);
  });

  it('is stored in the URL, so that it can be shared and restored', async ({ openPage }) => {
    const { page, field, verdict } = await openPage({ search: '?q=taken&set=test' });
    await soon(() => verdict('taken.shop.test')).toBe('Taken');
    expect(await field.inputValue()).toBe('taken');
    await field.fill('reserved');
    await soon(() => verdict('reserved.shop.test')).toBe('Reserved');
    expect(new URL(page.url()).search).toBe('?q=reserved&set=test');
  });

  it('starts with an example', async ({ openPage }) => {
    const { page, field, verdict } = await openPage();
    await page.getByRole('button', { name: 'bluefox', exact: true }).click();
    await soon(() => verdict('bluefox.com')).toBe('Available');
    expect(await field.inputValue()).toBe('bluefox');
    expect(await page.getByRole('button', { name: 'bücher' }).isVisible()).toBe(false);
  });
});

describe('pasted text', () => {
  it.for([
    ['https://User@WWW.Idea.com:8080/a?b#c', 'idea', 'idea.com'],
    ['someone@shop.idea.co.uk', 'idea', 'idea.co.uk'],
    ['ｉｄｅａ。com', 'idea', 'idea.com'],
    ['Идея.рф', 'идея', 'идея.рф'],
  ] as const)(
    'is shown as it was understood, with an answer for the full name: %s',
    async ([text, label, name], { registry, openGateway, openPage }) => {
      const extra = { 'co.uk': registry.baseUrl, 'xn--p1ai': registry.baseUrl };
      const registries = Object.fromEntries(popular.map((tld) => [tld, registry.baseUrl]));
      const gateway = await openGateway({ registries: { ...registries, ...extra } });
      const reply = paused(registered(name));
      registry.on(domainToASCII(name), reply);
      const { field, interpretation, headline, ...page } = await openPage({}, gateway);
      await field.fill(text);
      await soon(() => page.verdict(`${label}.net`)).toContain('Available');
      expect(await interpretation.innerText()).toBe(`Showing results for ${label}.`);
      reply.release();
      await soon(() => headline.innerText()).toMatch(
        new RegExp(`^${name}\\s+Taken\\s+This name is registered.`),
      );
      expect(await page.names()).not.toContain(name);
      await soon(page.summary).toMatch(/ · 1 taken\b/);
      expect(registry.requestCount(domainToASCII(name))).toBe(1);
    },
  );

  it('with spaces is one name, and the hyphenated one is suggested', async ({ openPage }) => {
    const { page, field, interpretation, names } = await openPage();
    await field.fill('My great idea');
    await soon(() => interpretation.innerText()).toBe(
      'Showing results for mygreatidea. Search my-great-idea instead Check as 3 names',
    );
    await page.getByRole('button', { name: 'Search my-great-idea instead' }).click();
    await soon(names).toContain('my-great-idea.com');
    expect(await field.inputValue()).toBe('my-great-idea');
  });

  it('that is not a name is explained, with a suggestion, and nothing is looked up', async ({
    registry,
    openPage,
  }) => {
    const { page, field, interpretation, verdict } = await openPage();
    await field.fill('idea-');
    await soon(() => interpretation.innerText()).toBe(
      'A name can’t start or end with a hyphen. Search idea instead',
    );
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(registry.requests).toEqual([]);
    await page.getByRole('button', { name: 'Search idea instead' }).click();
    await soon(() => verdict('idea.com')).toBe('Available');
    expect(await field.getAttribute('aria-invalid')).toBe(null);
  });

  it('that only the gateway recognizes as invalid is explained by the gateway', async ({
    openPage,
  }) => {
    const { field, interpretation } = await openPage();
    await field.fill('xn--zzzz');
    await soon(() => interpretation.innerText()).toContain('"xn--zzzz" is not one label');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  });
});

describe('the sandbox, without a network,', () => {
  it('shows a word for every verdict, and explains it', async ({ openGateway, openPage }) => {
    const gateway = await openGateway({ registries: {} });
    const { field, tile, verdict } = await openPage({ search: '?set=test' }, gateway);
    for (const [label, text, explanation] of sandboxVerdicts) {
      await field.fill(label);
      await soon(() => verdict(`${label}.test`)).toBe(text);
      expect(await tile(`${label}.test`).getAttribute('title')).toContain(explanation);
    }
  });

  it('shows "Can’t be proved" for a TLD in which availability cannot be proven', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway({ registries: {} });
    const { headline } = await openPage({ search: '?set=test&q=free.dns-only.test' }, gateway);
    await soon(() => headline.innerText()).toMatch(
      /Can’t be proved\s+Availability cannot be proven for this TLD/,
    );
  });

  const sandboxVerdicts = [
    ['idea', 'Available', 'no registration'],
    ['taken', 'Taken', 'registered'],
    ['reserved', 'Reserved', 'reserved'],
    ['redemption', 'Taken in redemption', 'restore'],
    ['pending', 'Taken pending deletion', 'delete'],
    ['down', 'No answer error', 'returned an error'],
    ['html', 'No answer unclear', 'inconclusive'],
  ] as const;
});

describe('a gateway without a network', () => {
  it('says so at once, looks nothing up, and offers the sandbox', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' },
    });
    const { page, notice, names, verdict } = await openPage({ search: '?q=taken' }, gateway);
    await soon(() => notice.innerText()).toContain('This gateway cannot reach the internet');
    expect(await names()).toEqual([]);
    await page.getByRole('button', { name: 'Use the sandbox' }).click();
    await soon(() => verdict('taken.test')).toBe('Taken');
    expect(await notice.isVisible()).toBe(false);
  });

  it('can be searched anyway', async ({ openGateway, openPage }) => {
    const gateway = await openGateway({
      env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' },
    });
    const { page, field, names, notice } = await openPage({}, gateway);
    await page.getByRole('button', { name: 'Search anyway' }).click();
    await field.fill('idea');
    await soon(names).toContain('idea.com');
    expect(await notice.getByText('cannot reach the internet').isVisible()).toBe(false);
  });

  it('offers the sandbox if it notices only when all lookups fail', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    await registry.close();
    // Without the availability services, whose addresses take seconds to fail in some networks.
    const suffixes = { '': { das: null, whois: null, dns: null } };
    await using sources = await writeBootstrap({ suffixes });
    const gateway = await openGateway({ env: { SOURCES_FILE: sources.path } });
    const { page, notice, verdict } = await openPage({ search: '?q=taken' }, gateway);
    await soon(() => notice.innerText()).toContain('No registry could be reached');
    await page.getByRole('button', { name: 'Use the sandbox' }).click();
    await soon(() => verdict('taken.test')).toBe('Taken');
  });

  it('does not offer a sandbox that is disabled', async ({ openGateway, openPage }) => {
    const env = { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json', SANDBOX: 'off' };
    const gateway = await openGateway({ env });
    const { page, notice } = await openPage({}, gateway);
    await soon(() => notice.innerText()).toContain('cannot reach the internet');
    expect(await page.getByText('sandbox').filter({ visible: true }).count()).toBe(0);
  });
});

describe('a connection that is lost during a search', () => {
  it('keeps the rows, and "Try again" looks up only the missing names', async ({
    registry,
    openGateway,
    openPage,
    parts,
  }) => {
    const missing = ['idea.com', 'idea.pl'];
    const slow = paused(notFound());
    for (const name of missing) registry.on(name, slow);
    const gateway = await openGateway();
    const proxy = parts.use(await startFlakyProxy(gateway.url));
    const { page, notice, verdict, summary } = await openPage(
      { search: '?q=idea', expectedErrors: ['Failed to load resource: net::ERR_CONNECTION_RESET'] },
      proxy,
    );
    await soon(summary).toMatch(`${popular.length - 2} available`);
    proxy.cutConnections();
    await soon(() => notice.innerText()).toContain(
      `The connection to the gateway was lost. The ${popular.length - 2} results so far are kept; 2 are missing.`,
    );
    expect(await verdict('idea.com')).toBe('Not checked');
    expect(await verdict('idea.net')).toBe('Available');
    slow.release();
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.postData()?.includes('subscription') === true),
      page.getByRole('button', { name: 'Try again' }).click(),
    ]);
    expect(request.postDataJSON().variables.tlds).toEqual(['com', 'pl']);
    await soon(summary).toMatch(`${popular.length} available`);
    expect(await notice.isVisible()).toBe(false);
  });

  it('is reported, and the search continues when the browser is online again', async ({
    openPage,
  }) => {
    const { page, field, notice, verdict } = await openPage({
      search: '?set=test',
      expectedErrors: ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'],
    });
    await page.getByRole('button', { name: 'redemption.test: Taken, in redemption' }).waitFor();
    await page.context().setOffline(true);
    await field.fill('taken');
    await soon(() => notice.innerText()).toContain('You are offline.');
    await page.context().setOffline(false);
    await soon(() => verdict('taken.test')).toBe('Taken');
  });
});

describe('a gateway that requires a key', () => {
  it('prompts for it, stores it for the tab, and shows the credits that are left', async ({
    openGateway,
    openPage,
  }) => {
    await using files = await scratch();
    const env = { STORE_URL: files.storeUrl };
    const createKey = ['src/cli/keys/keys.ts', 'create', '--name', 'App', '--json'];
    const { stdout } = await run(process.execPath, createKey, { env });
    const gateway = await openGateway({ env: { AUTH: 'required', ...env } });
    const expectedErrors = [unauthorized];
    const { page, field, summary } = await openPage({ expectedErrors }, gateway);
    await page.getByLabel('API key').waitFor();
    await page.getByText('This gateway requires an API key.').waitFor();
    // GraphiQL stores what is typed there, also if no header may contain it.
    await page.evaluate("sessionStorage.setItem('api-key', 'rgw_…')");
    await field.fill('idea');
    await page.getByText('The API key is malformed or truncated.').waitFor();
    await page.getByLabel('API key').fill(JSON.parse(stdout).key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await soon(() => page.getByLabel('API key').isVisible()).toBe(false);
    await soon(summary).toMatch(`${popular.length} available`);
    // The search costs one credit.
    await page.getByText('9,999 of 10,000 credits left').waitFor();
    await page.reload();
    await soon(summary).toMatch(`${popular.length} available`);
  });
});

const unauthorized =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

const phone = { context: { viewport: { width: 390, height: 700 } } };
