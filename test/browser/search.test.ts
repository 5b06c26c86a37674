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
import { sets, withSearchPage, type SearchPage, type Visit } from '../support/search-page.ts';

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

/** A gateway whose every TLD of the page is answered by the one registry, which has no limits. */
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
  visit: Visit,
  use: (page: SearchPage) => Promise<void>,
): Promise<void> {
  if ('absent' in started) return context.skip(started.absent);
  return withSearchPage(started.browser, gateway.url, visit, use);
}

function askedFor(label: string): readonly string[] {
  return registry.requests.map(({ name }) => name).filter((name) => name.startsWith(`${label}.`));
}

const soon = <T>(read: () => Promise<T>) => expect.poll(read, waitOptions);

describe('a search', () => {
  it('shows each row as its registry answers, and waits for no slow or silent one', async (context) => {
    const [first, slow] = [paused(notFound()), paused(registered('idea.net'))];
    registry.on('idea.com', first);
    registry.on('idea.net', slow);
    registry.on('idea.org', paused(notFound()));
    await openGateway();
    await onSearchPage(context, narrow, async ({ field, verdict, summary }) => {
      const three = () => Promise.all(['com', 'net', 'org'].map(verdict));
      await field.fill('idea');
      await soon(summary).toMatch(/^37 of 40 answered/);
      expect(await three()).toEqual(['asking…', 'asking…', 'asking…']);
      expect(await verdict('dev')).toBe('no registration found');
      first.release();
      await soon(three).toEqual(['no registration found', 'asking…', 'asking…']);
      slow.release();
      await soon(three).toEqual(['no registration found', 'registered', 'asking…']);
      expect(await summary()).toBe('39 of 40 answered, 38 without a registration');
    });
  });

  it('is abandoned with the next keystroke, and takes its unsent lookups along', async (context) => {
    const first = paused(notFound());
    registry.on(/^first\./, first);
    await openGateway({ env: { RDAP_CONCURRENCY: '2' } });
    await onSearchPage(context, narrow, async ({ page, field, summary }) => {
      await field.fill('first');
      await registry.when(({ inFlight }) => inFlight === 2);
      await Promise.all([page.waitForEvent('requestfailed'), field.fill('second')]);
      // Two round trips after the page has left, the gateway has seen it.
      await gateway.get('/health');
      await gateway.get('/health');
      first.release();
      // Whoever comes later stands behind what still waits.
      await soon(summary).toBe('All 40 answered, 40 without a registration');
      expect(askedFor('first')).toHaveLength(2);
      expect(askedFor('second')).toHaveLength(40);
    });
  });

  it('asks forty registries at first, and the others when they are scrolled to', async (context) => {
    await openGateway();
    await onSearchPage(context, narrow, async ({ page, field, verdict }) => {
      await field.fill('idea');
      await soon(() => verdict(sets.real[39] ?? '')).toBe('no registration found');
      expect(askedFor('idea')).toHaveLength(40);
      expect(await verdict(sets.real[40] ?? '')).toBe('');
      await page.locator('#grid li').nth(60).scrollIntoViewIfNeeded();
      await soon(() => verdict(sets.real[79] ?? '')).toBe('no registration found');
      expect(askedFor('idea')).toHaveLength(80);
    });
  });

  it('takes a whole name apart, and asks for its TLD first', async (context) => {
    await openGateway({ registries: { 'xn--p1ai': registry.baseUrl } });
    await onSearchPage(context, {}, async ({ page, field, verdict }) => {
      await field.fill('Идея.рф');
      await soon(() => verdict('xn--p1ai')).toBe('no registration found');
      expect(await page.locator('#grid .suffix').first().textContent()).toBe('.xn--p1ai');
      expect(registry.asked(domainToASCII('идея.рф'))).toBe(1);
      await soon(() => verdict('com')).toBe('no registry to ask');
    });
  });

  it.for([
    { typed: 'foo..test', tld: 'test', words: 'no registration found' },
    { typed: 'foo.。test。', tld: 'test', words: 'no registration found' },
    { typed: 'taken.', tld: 'test', words: 'registered' },
    // What the browser makes a dot too many of, the gateway does not.
    { typed: 'foo.\u00ad.test', tld: '.test', words: 'not answered' },
  ])('ends, also where dots are too many: "$typed"', async ({ typed, tld, words }, context) => {
    await openGateway({ registries: {} });
    await onSearchPage(
      context,
      { search: `?set=test&q=${encodeURIComponent(typed)}` },
      async ({ page, verdict, summary }) => {
        await soon(summary).toMatch(/^All 36 answered/);
        await soon(() => verdict(tld)).toBe(words);
        expect(await page.locator('#grid [data-state=ASKED]').count()).toBe(0);
        expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
      },
    );
  });

  it('stands in the address, to be shared and come back to', async (context) => {
    await openGateway();
    const visit = { search: '?q=taken&set=test' };
    await onSearchPage(context, visit, async ({ page, field, verdict }) => {
      await soon(() => verdict('shop.test')).toBe('registered');
      expect(await field.inputValue()).toBe('taken');
      await field.fill('reserved');
      await soon(() => verdict('shop.test')).toBe('reserved');
      expect(new URL(page.url()).search).toBe('?q=reserved&set=test');
    });
  });
});

describe('under .test, with no network', () => {
  it('every verdict has its words', async (context) => {
    await openGateway({ registries: {} });
    await onSearchPage(context, {}, async ({ page, field, verdict }) => {
      await page.getByText('.test, offline').click();
      for (const [label, words] of Object.entries(verdictsUnderTest)) {
        await field.fill(label);
        await soon(() => verdict('space.test')).toBe(words);
      }
    });
  });

  it('is where the page points when no registry can be reached', async (context) => {
    await registry.close();
    await openGateway();
    await onSearchPage(context, narrow, async ({ page, field, verdict }) => {
      await field.fill('taken');
      await page.getByRole('button', { name: 'Look under .test' }).click();
      await soon(() => verdict('test')).toBe('registered');
      expect(await page.getByRole('alert').filter({ hasText: 'could be reached' }).count()).toBe(0);
    });
  });

  it('the page does not point there when all registries fail: it is there', async (context) => {
    await openGateway({ registries: {} });
    await onSearchPage(context, { search: '?q=down&set=test' }, async ({ page, summary }) => {
      await soon(summary).toBe('All 36 answered, 0 without a registration');
      expect(await page.locator('#notice').isVisible()).toBe(false);
    });
  });

  const verdictsUnderTest = {
    idea: 'no registration found',
    taken: 'registered',
    reserved: 'reserved',
    redemption: 'in redemption',
    pending: 'about to be deleted',
    down: 'registry failed',
    html: 'no clear answer',
  };
});

describe('the record of a name', () => {
  it.for([
    {
      label: 'taken',
      shows: [
        'registered',
        'Sandbox Registrar Ltd',
        'ns1.example-dns.test',
        'The registry’s own answer',
      ],
    },
    { label: 'idea', shows: ['no registration found', 'That is no promise that you can buy it'] },
    { label: 'down', shows: ['registry failed', 'The registry answered 500.'] },
  ])('of a name that begins with $label opens with a click', async ({ label, shows }, context) => {
    await openGateway();
    await onSearchPage(
      context,
      { search: `?q=${label}&set=test` },
      async ({ tile, verdict, record }) => {
        await soon(() => verdict('test')).not.toBe('asking…');
        await tile('test').click();
        for (const text of shows) await soon(() => record.textContent()).toContain(text);
        expect(await record.getByRole('heading').textContent()).toBe(`${label}.test`);
      },
    );
  });

  it('opens and closes from the keyboard, which is then where it was', async (context) => {
    await openGateway();
    await onSearchPage(
      context,
      { search: '?set=test' },
      async ({ page, field, verdict, record }) => {
        await field.fill('taken');
        await soon(() => verdict('shop.test')).toBe('registered');
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

describe('what goes wrong', () => {
  it('is said at the field when it is the label', async (context) => {
    await openGateway();
    await onSearchPage(context, {}, async ({ page, field, tile }) => {
      await field.fill('a b');
      await soon(() => page.locator('#fault').textContent()).toContain('"a b" is not one label');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await tile('com').isDisabled()).toBe(true);
      await field.fill('ab');
      await soon(() => page.locator('#fault').textContent()).toBe('');
    });
  });

  it.for(['foo.@popular', 'http://foo.com/', 'foo.com:80'])(
    'is said at the field when it is no name at all: %s',
    async (typed, context) => {
      await openGateway();
      await onSearchPage(
        context,
        { search: `?q=${encodeURIComponent(typed)}` },
        async ({ page }) => {
          await soon(() => page.locator('#fault').textContent()).toContain(
            `"${typed}" is not one label`,
          );
          expect(await page.locator('#grid .suffix').first().textContent()).toBe('.com');
          expect(registry.requests).toEqual([]);
        },
      );
    },
  );

  it('may be mended with a key, which is asked for only then and kept for the tab', async (context) => {
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
      { search: '?set=test', complaints: [unauthorized] },
      async ({ page, field, verdict }) => {
        expect(await page.getByLabel('API key').isVisible()).toBe(false);
        await field.fill('taken');
        await page.getByLabel('API key').fill(JSON.parse(stdout).key);
        await page.getByRole('button', { name: 'Use this key' }).click();
        await soon(() => verdict('shop.test')).toBe('registered');
        expect(await page.getByLabel('API key').isVisible()).toBe(false);
        await page.reload();
        await soon(() => verdict('shop.test')).toBe('registered');
      },
    );
  });

  it('is that the gateway is gone: the page says so, and searches again when told to', async (context) => {
    await openGateway();
    await onSearchPage(
      context,
      {
        search: '?set=test',
        complaints: ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'],
      },
      async ({ page, field, verdict }) => {
        await page.context().setOffline(true);
        await field.fill('taken');
        await page.getByText('The gateway cannot be reached.').waitFor();
        expect(await verdict('test')).toBe('not answered');
        await page.context().setOffline(false);
        await page.getByRole('button', { name: 'Try again' }).click();
        await soon(() => verdict('test')).toBe('registered');
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
      open: async ({ verdict }: SearchPage) =>
        soon(() => verdict('com')).toBe('no registration found'),
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
      view: 'a fault',
      search: '?q=a+b',
      open: async ({ page }: SearchPage) => page.getByText('is not one label').waitFor(),
    },
    {
      view: 'the place for a key',
      search: '?q=taken&set=test',
      env: { AUTH: 'required' },
      complaints: [unauthorized],
      open: async ({ page }: SearchPage) => page.getByLabel('API key').waitFor(),
    },
  ])(
    'axe finds no fault with $view',
    async ({ search, open, env = {}, complaints = [] }, context) => {
      const reserved = notFound('This name is not available for registration.');
      const scripts: Script[] = [notFound(), ({ name }) => registered(name), reserved];
      for (const [at, script] of scripts.entries()) {
        registry.on((name) => sets.real.indexOf(name.slice('idea.'.length)) % 4 === at, script);
      }
      await openGateway({ env });
      await onSearchPage(
        context,
        { search, complaints, context: { colorScheme } },
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
  'nothing sticks out of a window that is %i pixels wide',
  async (width, context) => {
    await openGateway();
    await onSearchPage(
      context,
      {
        search: '?q=taken-by-somebody-with-a-long-name&set=test',
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

/** A window in which the first forty tiles fill more than the screen. */
const narrow = { context: { viewport: { width: 390, height: 700 } } };
