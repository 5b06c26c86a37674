import axe from 'axe-core';
import { describe, expect } from 'vitest';
import { notFound, registered, status } from '../support/replies.ts';
import { it as base, popular, soon, type SearchPage } from '../support/search-page.ts';

/** The verdicts of the tiles take turns. */
const it = base.extend('registry', ({ registry }) => {
  const scripts = [registered('idea'), notFound('This name is not available for registration.')];
  for (const [at, script] of [...scripts, status(500)].entries())
    registry.on((name) => popular.indexOf(name.slice('idea.'.length)) % 5 === at, script);
  return registry;
});

interface View {
  readonly view: string;
  readonly search: string;
  readonly open: (page: SearchPage) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  readonly expectedErrors?: readonly string[];
}

const views: readonly View[] = [
  {
    view: 'the empty page',
    search: '',
    open: ({ page }) => page.getByRole('button', { name: 'bluefox', exact: true }).waitFor(),
  },
  {
    view: 'a search',
    search: '?q=idea',
    open: async ({ verdict }) => soon(() => verdict('idea.pl')).not.toBe('Checking'),
  },
  {
    view: 'a full name',
    search: '?q=idea.io',
    open: ({ headline }) => headline.getByRole('link', { name: 'Register' }).waitFor(),
  },
  {
    view: 'the details of a name',
    search: '?q=taken&set=test&d=taken.test',
    open: ({ panel }) => panel.getByText('Sandbox Registrar Ltd', { exact: true }).waitFor(),
  },
  {
    view: 'the networks of a nameserver',
    search: '?d=taken.test',
    open: async ({ panel }) => {
      await panel.getByRole('button', { name: 'ns1.example-dns.test' }).click();
      await panel.getByText('Networks of 2 addresses:').waitFor();
    },
  },
  {
    view: 'a list with every kind of answer',
    search: `?q=${['bluefox', 'taken', 'reserved', 'redemption', 'down'].map((label) => `${label}.test`).join()},free.whois-only.test,free.dns-only.test,idea.fr,idea.bmw,idea.example,${'x'.repeat(63)}.test`,
    open: ({ page }) =>
      page.getByRole('button', { name: 'idea.fr: Available, restricted' }).waitFor(),
  },
  {
    view: 'a name of 63 letters',
    search: `?q=${'idea'.repeat(15)}xyz.com`,
    open: ({ headline }) => headline.getByRole('link', { name: 'Register' }).waitFor(),
  },
  {
    view: 'similar names',
    search: '?q=idea',
    async open({ page }) {
      await page.getByText('Similar names', { exact: true }).click();
      await page.getByRole('button', { name: `get${'idea'}.com: Available` }).waitFor();
    },
  },
  {
    view: 'the network of an address',
    search: '?q=192.0.2.1',
    open: ({ page }) => page.getByText('abuse@networks.example').waitFor(),
  },
  {
    view: 'an invalid name',
    search: '?q=idea-',
    open: ({ page }) => page.getByRole('button', { name: 'Search idea instead' }).waitFor(),
  },
  {
    view: 'the list of the user',
    search: '?q=idea',
    open: async ({ page }) => {
      await page.getByText('My list', { exact: true }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    },
  },
  {
    view: 'the API key prompt',
    search: '',
    env: { AUTH: 'required' },
    expectedErrors: [
      'Failed to load resource: the server responded with a status of 401 (Unauthorized)',
    ],
    open: ({ page }) => page.getByLabel('API key').waitFor(),
  },
  {
    view: 'the page of a gateway without a network',
    search: '',
    env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' },
    open: ({ notice }) => notice.getByText('cannot reach the internet').waitFor(),
  },
];

const displays = {
  phone: { display: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  desktop: {
    display: 'a dark desktop',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
  },
} as const;
/** From a small phone to a large desktop; 640 pixels are a window of 1280 at 200 % zoom. */
const widths = [320, 390, 640, 1280, 1920];

// The dark colors of a view are those of its light ones, so some suffice.
const darkViews = [
  'the empty page',
  'a search',
  'a full name',
  'the details of a name',
  'a list with every kind of answer',
];

it.for([
  ...views.map((view) => ({ ...view, ...displays.phone })),
  ...views
    .filter(({ view }) => darkViews.includes(view))
    .map((view) => ({ ...view, ...displays.desktop })),
])(
  '$view has no accessibility violations and does not scroll sideways at any width, on $display',
  async (
    { search, open, env = {}, expectedErrors = [], viewport, colorScheme },
    { openGateway, onSearchPage },
  ) => {
    const gateway = await openGateway({
      env: { REGISTER_URL: 'https://registrar.example/{domain}', ...env },
    });
    // The test injects axe, which the policy of the page forbids.
    const context = { viewport, colorScheme, reducedMotion: 'reduce' as const, bypassCSP: true };
    const visit = { search, expectedErrors, context };
    await onSearchPage(gateway.url, visit, async (searchPage) => {
      await open(searchPage);
      const { page } = searchPage;
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      expect(
        violations.map(({ id, nodes }) => [
          id,
          nodes.map(({ html, failureSummary }) => [html, failureSummary]),
        ]),
      ).toEqual([]);
      for (const width of widths) {
        await page.setViewportSize({ width, height: viewport.height });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    });
  },
);

describe('the search page', () => {
  it('is dark if the system is', async ({ openGateway, onSearchPage }) => {
    const gateway = await openGateway();
    const backgrounds: unknown[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      await onSearchPage(gateway.url, { context: { colorScheme } }, async ({ page }) => {
        await page.getByRole('button', { name: 'bluefox', exact: true }).waitFor();
        const script = 'getComputedStyle(document.documentElement).backgroundColor';
        backgrounds.push(await page.evaluate(script));
      });
    expect(new Set(backgrounds).size).toBe(backgrounds.length);
  });

  it('keeps the field visible above the tiles while they scroll', async ({
    openGateway,
    onSearchPage,
  }) => {
    const gateway = await openGateway();
    const visit = { search: '?q=idea', context: { viewport: { width: 390, height: 700 } } };
    await onSearchPage(gateway.url, visit, async ({ page, field, verdict, tile }) => {
      await soon(() => verdict('idea.pl')).not.toBe('Checking');
      await tile('idea.pl').scrollIntoViewIfNeeded();
      const { x = 0, y = 0, height = 0 } = (await field.boundingBox()) ?? {};
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThan(100);
      const inFront = `document.elementFromPoint(${x + 40}, ${y + height / 2}).id`;
      expect(await page.evaluate(inFront)).toBe('label');
    });
  });

  it('and its scripts and styles are less than 50 KB, with all headers', async ({
    openGateway,
    onSearchPage,
  }) => {
    const gateway = await openGateway();
    await onSearchPage(gateway.url, {}, async ({ page, transferred }) => {
      await page.waitForLoadState('networkidle');
      const { requests, bytes } = await transferred();
      expect(requests).toBeGreaterThan(15);
      expect(bytes).toBeLessThan(50_000);
    });
  });
});
