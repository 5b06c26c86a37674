import { domainToASCII } from 'node:url';
import axe from 'axe-core';
import { afterAll, afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../support/gateway.ts';
import { waitOptions } from '../support/graphiql-page.ts';
import { notFound, registered, type Script } from '../support/replies.ts';
import { run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { paused } from '../support/scripts.ts';
import { sets, withSearchPage, type SearchPage, type PageOptions } from '../support/search-page.ts';

const started = await startBrowser();
let registry: FakeRegistry;
let gateway: Gateway;

beforeEach(async () => {
  registry = await startFakeRegistry();
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});
afterAll(async () => {
  if (!('absent' in started)) await started.close();
});

/** Starts a gateway whose live TLDs are all served by one registry without rate limits. */
async function openGateway(options: GatewayOptions = {}): Promise<void> {
  const registries = Object.fromEntries(sets.real.map((tld) => [tld, registry.baseUrl]));
  const env = {
    RATE_LIMIT: '0',
    RDAP_RATE: '0',
    RDAP_CONCURRENCY: '100',
    RDAP_TIMEOUT_MS: '60000',
    ...options.env,
  };
  gateway = await startGateway({ registries, ...options, env });
}

async function onSearchPage(
  context: TestContext,
  visit: PageOptions,
  use: (page: SearchPage) => Promise<void>,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  return withSearchPage(started.browser, gateway.url, visit, use);
}

function queriedNames(label: string): readonly string[] {
  return registry.requests.map(({ name }) => name).filter((name) => name.startsWith(`${label}.`));
}

const soon = <T>(read: () => Promise<T>) => expect.poll(read, waitOptions);

describe('a search', () => {
  it('shows each row when its registry responds, without waiting for slow ones', async (context) => {
    const [first, slow] = [paused(notFound()), paused(registered('idea.net'))];
    registry.on('idea.com', first);
    registry.on('idea.net', slow);
    registry.on('idea.org', paused(notFound()));
    await openGateway();
    await onSearchPage(context, narrow, async ({ field, verdict, summary }) => {
      const three = () => Promise.all(['com', 'net', 'org'].map(verdict));
      await field.fill('idea');
      await soon(summary).toMatch(/^37 of 40 checked/);
      expect(await three()).toEqual(['Looking up…', 'Looking up…', 'Looking up…']);
      expect(await verdict('dev')).toBe('Available');
      first.release();
      await soon(three).toEqual(['Available', 'Looking up…', 'Looking up…']);
      slow.release();
      await soon(three).toEqual(['Available', 'Registered', 'Looking up…']);
      expect(await summary()).toBe('39 of 40 checked, 38 available');
    });
  });

  it('is cancelled with its unsent lookups by the next keystroke', async (context) => {
    const first = paused(notFound());
    registry.on(/^first\./, first);
    await openGateway({ env: { RDAP_CONCURRENCY: '2' } });
    await onSearchPage(context, narrow, async ({ page, field, summary }) => {
      await field.fill('first');
      await registry.when(({ inFlight }) => inFlight === 2);
      await Promise.all([page.waitForEvent('requestfailed'), field.fill('second')]);
      // After two more round trips, the gateway has noticed that the request was aborted.
      await gateway.get('/health');
      await gateway.get('/health');
      first.release();
      // If lookups of the first search were still queued, they would be sent before the others.
      await soon(summary).toBe('40 checked, 40 available');
      expect(queriedNames('first')).toHaveLength(2);
      expect(queriedNames('second')).toHaveLength(40);
    });
  });

  it('queries forty registries at first, and others when their tiles scroll into view', async (context) => {
    await openGateway();
    await onSearchPage(context, narrow, async ({ page, field, verdict }) => {
      await field.fill('idea');
      await soon(() => verdict(sets.real[39] ?? '')).toBe('Available');
      expect(queriedNames('idea')).toHaveLength(40);
      expect(await verdict(sets.real[40] ?? '')).toBe('');
      await page.locator('#grid li').nth(60).scrollIntoViewIfNeeded();
      await soon(() => verdict(sets.real[79] ?? '')).toBe('Available');
      expect(queriedNames('idea')).toHaveLength(80);
    });
  });

  it('splits a full domain name, and shows its TLD first', async (context) => {
    await openGateway({ registries: { 'xn--p1ai': registry.baseUrl } });
    await onSearchPage(context, {}, async ({ page, field, verdict }) => {
      await field.fill('Идея.рф');
      await soon(() => verdict('xn--p1ai')).toBe('Available');
      expect(await page.locator('#grid .suffix').first().textContent()).toBe('.xn--p1ai');
      expect(registry.requestCount(domainToASCII('идея.рф'))).toBe(1);
      await soon(() => verdict('com')).toBe('TLD not supported');
    });
  });

  it.for([
    { input: 'foo..test', tld: 'test', text: 'Available' },
    { input: 'foo.。test。', tld: 'test', text: 'Available' },
    { input: 'taken.', tld: 'test', text: 'Registered' },
    // The browser removes the soft hyphen and sees two dots; the gateway does not.
    { input: 'foo.\u00ad.test', tld: '.test', text: 'No response' },
  ])('completes despite superfluous dots: "$input"', async ({ input, tld, text }, context) => {
    await openGateway({ registries: {} });
    await onSearchPage(
      context,
      { search: `?set=test&q=${encodeURIComponent(input)}` },
      async ({ page, verdict, summary }) => {
        await soon(summary).toMatch(/^36 checked/);
        await soon(() => verdict(tld)).toBe(text);
        expect(await page.locator('#grid [data-state=PENDING]').count()).toBe(0);
        expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
      },
    );
  });

  it('is stored in the URL, so that it can be shared and restored', async (context) => {
    await openGateway();
    const visit = { search: '?q=taken&set=test' };
    await onSearchPage(context, visit, async ({ page, field, verdict }) => {
      await soon(() => verdict('shop.test')).toBe('Registered');
      expect(await field.inputValue()).toBe('taken');
      await field.fill('reserved');
      await soon(() => verdict('shop.test')).toBe('Reserved');
      expect(new URL(page.url()).search).toBe('?q=reserved&set=test');
    });
  });
});

describe('the sandbox, without a network,', () => {
  it('shows a text for every verdict', async (context) => {
    await openGateway({ registries: {} });
    await onSearchPage(context, {}, async ({ page, field, verdict }) => {
      await page.getByText('Sandbox (.test)').click();
      for (const [label, text] of Object.entries(sandboxVerdicts)) {
        await field.fill(label);
        await soon(() => verdict('space.test')).toBe(text);
      }
    });
  });

  it('is suggested if no registry can be reached', async (context) => {
    await registry.close();
    await openGateway();
    await onSearchPage(context, narrow, async ({ page, field, verdict }) => {
      await field.fill('taken');
      await page.getByRole('button', { name: 'Try the sandbox' }).click();
      await soon(() => verdict('test')).toBe('Registered');
      expect(await page.getByRole('alert').filter({ hasText: 'could be reached' }).count()).toBe(0);
    });
  });

  it('is not suggested if its own lookups fail', async (context) => {
    await openGateway({ registries: {} });
    await onSearchPage(context, { search: '?q=down&set=test' }, async ({ page, summary }) => {
      await soon(summary).toBe('36 checked, 0 available');
      expect(await page.locator('#notice').isVisible()).toBe(false);
    });
  });

  const sandboxVerdicts = {
    idea: 'Available',
    taken: 'Registered',
    reserved: 'Reserved',
    redemption: 'In redemption',
    pending: 'Pending deletion',
    down: 'Registry error',
    html: 'Inconclusive',
  };
});

describe('the record panel', () => {
  it.for([
    {
      label: 'taken',
      shows: ['Registered', 'Sandbox Registrar Ltd', 'ns1.example-dns.test', 'Raw RDAP response'],
    },
    { label: 'idea', shows: ['Available', 'This does not guarantee that you can buy it'] },
    { label: 'down', shows: ['Registry error', 'The registry returned status 500.'] },
  ])(
    'opens with a click for a label that starts with $label',
    async ({ label, shows }, context) => {
      await openGateway();
      await onSearchPage(
        context,
        { search: `?q=${label}&set=test` },
        async ({ tile, verdict, record }) => {
          await soon(() => verdict('test')).not.toBe('Looking up…');
          await tile('test').click();
          for (const text of shows) await soon(() => record.textContent()).toContain(text);
          expect(await record.getByRole('heading').textContent()).toBe(`${label}.test`);
        },
      );
    },
  );

  it('opens and closes by keyboard, and returns the focus to its tile', async (context) => {
    await openGateway();
    await onSearchPage(
      context,
      { search: '?set=test' },
      async ({ page, field, verdict, record }) => {
        await field.fill('taken');
        await soon(() => verdict('shop.test')).toBe('Registered');
        for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
        await soon(() => record.textContent()).toContain('taken.shop.test');
        await page.keyboard.press('Escape');
        expect(await record.count()).toBe(0);
        expect(await page.evaluate('document.activeElement.textContent')).toContain('.shop.test');
        await page.keyboard.press('ArrowUp');
        expect(await page.evaluate('document.activeElement.id')).toBe('label');
      },
    );
  });
});

describe('an error', () => {
  it('in the label is shown at the field', async (context) => {
    await openGateway();
    await onSearchPage(context, {}, async ({ page, field, tile }) => {
      await field.fill('a b');
      await soon(() => page.locator('#field-error').textContent()).toContain(
        '"a b" is not one label',
      );
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await tile('com').isDisabled()).toBe(true);
      await field.fill('ab');
      await soon(() => page.locator('#field-error').textContent()).toBe('');
    });
  });

  it.for(['foo.@popular', 'http://foo.com/', 'foo.com:80'])(
    'is shown at the field for input that is not a name: %s',
    async (input, context) => {
      await openGateway();
      await onSearchPage(
        context,
        { search: `?q=${encodeURIComponent(input)}` },
        async ({ page }) => {
          await soon(() => page.locator('#field-error').textContent()).toContain(
            `"${input}" is not one label`,
          );
          expect(await page.locator('#grid .suffix').first().textContent()).toBe('.com');
          expect(registry.requests).toEqual([]);
        },
      );
    },
  );

  it('about a missing API key prompts for a key, which is stored for the tab', async (context) => {
    await using files = await scratch();
    const { stdout } = await run(
      process.execPath,
      ['src/accounts/cli/keys.ts', 'create', '--name', 'App', '--json'],
      {
        env: { STORE_URL: files.storeUrl },
      },
    );
    await openGateway({ env: { AUTH: 'required', STORE_URL: files.storeUrl } });
    await onSearchPage(
      context,
      { search: '?set=test', expectedErrors: [unauthorized] },
      async ({ page, field, verdict }) => {
        expect(await page.getByLabel('API key').isVisible()).toBe(false);
        await field.fill('taken');
        await page.getByLabel('API key').fill(JSON.parse(stdout).key);
        await page.getByRole('button', { name: 'Use this key' }).click();
        await soon(() => verdict('shop.test')).toBe('Registered');
        expect(await page.getByLabel('API key').isVisible()).toBe(false);
        await page.reload();
        await soon(() => verdict('shop.test')).toBe('Registered');
      },
    );
  });

  it('about an unreachable gateway is shown, and the search can be retried', async (context) => {
    await openGateway();
    await onSearchPage(
      context,
      {
        search: '?set=test',
        expectedErrors: ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'],
      },
      async ({ page, field, verdict }) => {
        await page.context().setOffline(true);
        await field.fill('taken');
        await page.getByText('The gateway cannot be reached.').waitFor();
        expect(await verdict('test')).toBe('No response');
        await page.context().setOffline(false);
        await page.getByRole('button', { name: 'Try again' }).click();
        await soon(() => verdict('test')).toBe('Registered');
      },
    );
  });
});

describe.for(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.for([
    { view: 'the empty page', search: '', open: async () => {} },
    {
      view: 'a search',
      search: '?q=idea',
      open: async ({ verdict }: SearchPage) => soon(() => verdict('com')).toBe('Available'),
    },
    {
      view: 'a record',
      search: '?q=taken&set=test',
      open: async ({ tile, record }: SearchPage) => {
        await tile('test').click();
        await record.getByText('Sandbox Registrar Ltd', { exact: true }).waitFor();
      },
    },
    {
      view: 'a field error',
      search: '?q=a+b',
      open: async ({ page }: SearchPage) => page.getByText('is not one label').waitFor(),
    },
    {
      view: 'the API key prompt',
      search: '?q=taken&set=test',
      env: { AUTH: 'required' },
      expectedErrors: [unauthorized],
      open: async ({ page }: SearchPage) => page.getByLabel('API key').waitFor(),
    },
  ])(
    'axe reports no violations on $view',
    async ({ search, open, env = {}, expectedErrors = [] }, context) => {
      const reserved = notFound('This name is not available for registration.');
      const scripts: Script[] = [notFound(), ({ name }) => registered(name), reserved];
      for (const [at, script] of scripts.entries()) {
        registry.on((name) => sets.real.indexOf(name.slice('idea.'.length)) % 4 === at, script);
      }
      await openGateway({ env });
      await onSearchPage(
        context,
        { search, expectedErrors, context: { colorScheme } },
        async (searchPage) => {
          await open(searchPage);
          await searchPage.page.evaluate(axe.source);
          const { violations } = await searchPage.page.evaluate<axe.AxeResults>('axe.run()');
          expect(
            violations.map(({ id, nodes }) => [
              id,
              nodes.map(({ html, failureSummary }) => [html, failureSummary]),
            ]),
          ).toEqual([]);
        },
      );
    },
  );
});

it.for([1280, 390, 320])(
  'the search page fits a window that is %i pixels wide',
  async (width, context) => {
    await openGateway();
    await onSearchPage(
      context,
      {
        search: '?q=taken-by-a-registrant-with-a-long-name&set=test',
        context: { viewport: { width, height: 800 } },
      },
      async ({ page, tile, record }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await tile('test').click();
        await record.getByText('Sandbox Registrar Ltd', { exact: true }).waitFor();
        expect((await record.boundingBox())?.width).toBeLessThanOrEqual(width);
      },
    );
  },
);

const unauthorized =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

/** A window in which the first forty tiles do not fit on the screen. */
const narrow = { context: { viewport: { width: 390, height: 700 } } };
