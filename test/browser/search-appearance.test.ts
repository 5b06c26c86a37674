import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { it as base, popular, soon, type SearchPage } from '../support/requests/search-page.ts';

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
  /** What screen readers announce. */
  readonly says: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly expectedErrors?: readonly string[];
}

const views: readonly View[] = [
  {
    view: 'the empty page',
    search: '',
    open: ({ page }) => page.getByRole('button', { name: 'bluefox', exact: true }).waitFor(),
    says: ['Type a name, or paste a link, list or IP address.'],
  },
  {
    view: 'a search',
    search: '?q=idea',
    open: async ({ verdict }) => soon(() => verdict('idea.pl')).not.toBe('Checking'),
    says: [
      'Showing results for idea.',
      '31 names checked: 12 available, 0 taken, 6 reserved, 13 unknown.',
    ],
  },
  {
    view: 'a full name',
    search: '?q=idea.io',
    open: ({ headline }) => headline.getByRole('link', { name: 'Register' }).waitFor(),
    says: [
      'Showing results for idea.',
      '31 names checked: 12 available, 0 taken, 6 reserved, 13 unknown.',
      'idea.io Available The registry has no registration for this name.',
    ],
  },
  {
    view: 'the details of a name',
    search: '?q=taken&set=test&d=taken.test',
    async open({ panel }) {
      await panel.getByText('Sandbox Registrar Ltd', { exact: true }).waitFor();
      await panel.getByRole('button', { name: 'Shortlist taken.test' }).click();
      await panel.getByLabel('Note').waitFor();
    },
    says: ['Showing results for taken.', '4 names checked: 0 available, 4 taken.', 'Taken'],
  },
  {
    view: 'the networks of a nameserver',
    search: '?d=taken.test',
    open: async ({ panel }) => {
      await panel.getByRole('button', { name: 'ns1.example-dns.test' }).click();
      await panel.getByText('Networks of 2 addresses:').waitFor();
    },
    says: [
      'Type a name, or paste a link, list or IP address.',
      'Taken',
      'Networks of 2 addresses:',
    ],
  },
  {
    view: 'a list with every kind of answer',
    search: `?q=${['bluefox', 'taken', 'reserved', 'redemption', 'down'].map((label) => `${label}.test`).join()},free.whois-only.test,free.dns-only.test,idea.fr,idea.bmw,idea.example,${'x'.repeat(63)}.test`,
    open: ({ page }) =>
      page.getByRole('button', { name: 'idea.fr: Available, restricted' }).waitFor(),
    says: ['Showing 11 names.', '11 names checked: 4 available, 2 taken, 1 reserved, 4 unknown.'],
  },
  {
    view: 'a comparison with every kind of answer',
    search: `?q=${['bluefox', 'taken', 'reserved', 'down'].map((label) => `${label}.test`).join()},free.whois-only.test,free.dns-only.test,${'x'.repeat(63)}.example&view=matrix`,
    open: ({ page }) => page.getByRole('button', { name: 'down.example' }).waitFor(),
    says: ['Showing 7 names.', '24 names checked: 8 available, 3 taken, 1 reserved, 12 unknown.'],
  },
  {
    view: 'a name of 63 letters',
    search: `?q=${'idea'.repeat(15)}xyz.com`,
    open: ({ headline }) => headline.getByRole('link', { name: 'Register' }).waitFor(),
    says: [
      `Showing results for ${'idea'.repeat(15)}xyz.`,
      '31 names checked: 31 available, 0 taken.',
      `${'idea'.repeat(15)}xyz.com Available The registry has no registration for this name.`,
    ],
  },
  {
    view: 'similar names',
    search: '?q=idea',
    async open({ page }) {
      await page.getByText('Similar names', { exact: true }).click();
      await page.getByRole('button', { name: `get${'idea'}.com: Available` }).waitFor();
    },
    says: [
      'Showing results for idea.',
      '31 names checked: 12 available, 0 taken, 6 reserved, 13 unknown.',
    ],
  },
  {
    view: 'the network of an address',
    search: '?q=192.0.2.1',
    open: ({ page }) => page.getByText('abuse@networks.example').waitFor(),
    says: ['Showing results for 192.0.2.1.', '192.0.2.1 It belongs to the network EXAMPLE-DNS-1.'],
  },
  {
    view: 'an invalid name',
    search: '?q=idea-',
    open: ({ page }) => page.getByRole('button', { name: 'Search idea instead' }).waitFor(),
    says: ['A name can’t start or end with a hyphen. Search idea instead'],
  },
  {
    view: 'the watched names',
    search: '?q=taken.test,changing.test&set=test',
    env: { AUTH: 'open' },
    async open({ page }) {
      for (const name of ['taken.test', 'changing.test'])
        await page.getByRole('button', { name: `Watch ${name}`, exact: true }).click();
      await page.getByRole('button', { name: 'Watching 2' }).click();
      await page.getByRole('button', { name: 'Create addresses' }).click();
      await page.getByRole('button', { name: 'Copy calendar address' }).waitFor();
    },
    says: ['Showing 2 names.', '2 names checked: 0 available, 2 taken.', '2 names watched.'],
  },
  {
    view: 'the list of the user',
    search: '?q=idea',
    open: async ({ page }) => {
      await page.getByText('My list', { exact: true }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    },
    says: [
      'Showing results for idea.',
      '31 names checked: 12 available, 0 taken, 6 reserved, 13 unknown.',
    ],
  },
  {
    view: 'the API key prompt',
    search: '',
    env: { AUTH: 'required' },
    expectedErrors: [
      'Failed to load resource: the server responded with a status of 401 (Unauthorized)',
    ],
    open: ({ page }) => page.getByLabel('API key').waitFor(),
    says: [
      'Type a name, or paste a link, list or IP address.',
      'This gateway requires an API key. Its operator creates keys. API key (stored in this tab only) Use this key',
    ],
  },
  {
    view: 'the page of a gateway without a network',
    search: '',
    env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' },
    open: ({ notice }) => notice.getByText('cannot reach the internet').waitFor(),
    says: [
      'Type a name, or paste a link, list or IP address.',
      'This gateway cannot reach the internet, so it cannot look up live names. The built-in sandbox works without a network. Use the sandbox Search anyway',
    ],
  },
];

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'light' } as const;
const desktop = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } as const;
/** From a small phone to a large desktop; 640 pixels are a window of 1280 at 200 % zoom. */
const widths = [320, 390, 640, 1280, 1920];

/** Runs in the page: a caution that cannot be read whole might as well be absent. */
const clippedNotes = `Array.from(document.querySelectorAll('.grid .status'))
  .filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
  .map((each) => each.textContent)`;

// The dark colors of a view are those of its light ones, so some suffice.
const darkViews = [
  'the empty page',
  'a search',
  'a full name',
  'the details of a name',
  'a list with every kind of answer',
  'a comparison with every kind of answer',
  'the watched names',
];

it.for(views)(
  '$view has no accessibility violations, is announced, and does not scroll sideways',
  async (
    { view, search, open, says, env = {}, expectedErrors = [] },
    { openGateway, openPage },
  ) => {
    const gateway = await openGateway({
      env: { REGISTER_URL: 'https://registrar.example/{domain}', ...env },
    });
    // The test injects axe, which the policy of the page forbids.
    const context = { ...phone, reducedMotion: 'reduce' as const, bypassCSP: true };
    const searchPage = await openPage({ search, expectedErrors, context }, gateway);
    await open(searchPage);
    const { page } = searchPage;
    const backgrounds = new Set();
    for (const display of darkViews.includes(view) ? [phone, desktop] : [phone]) {
      await page.emulateMedia({ colorScheme: display.colorScheme });
      await page.setViewportSize(display.viewport);
      await soon(() => announcements(page)).toEqual(says);
      await checkTree(page);
      expect(await accessibilityViolations(page), JSON.stringify(display)).toEqual([]);
      backgrounds.add(await page.evaluate(backgroundScript));
    }
    expect(backgrounds.size).toBe(darkViews.includes(view) ? 2 : 1);
    for (const width of widths) {
      await page.setViewportSize({ width, height: phone.viewport.height });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await page.evaluate(clippedNotes)).toEqual([]);
    }
  },
);

const backgroundScript = 'getComputedStyle(document.documentElement).backgroundColor';

/** Expects one landmark of each kind, no named list items, and no progress bar once all is done. */
async function checkTree(page: Page): Promise<void> {
  const tree = await page.locator('body').ariaSnapshot();
  expect(tree.match(/- (?:banner|main|search)\b/g)?.toSorted()).toEqual(
    tree.includes('- banner') ? ['- banner', '- main', '- search'] : ['- main', '- search'],
  );
  expect(tree).not.toMatch(/- progressbar|- listitem "/);
}

/** Returns the texts that screen readers announce when they change, in the order of the page. */
async function announcements(page: Page): Promise<readonly string[]> {
  const regions = page.locator('[role=status], [role=alert]').filter({ visible: true });
  const texts = await regions.allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter(Boolean);
}

describe('the search page', () => {
  it('keeps the field visible above the tiles while they scroll', async ({ openPage }) => {
    const { page, field, verdict, tile } = await openPage({
      search: '?q=idea',
      context: { viewport: { width: 390, height: 700 } },
    });
    await soon(() => verdict('idea.pl')).not.toBe('Checking');
    await tile('idea.pl').scrollIntoViewIfNeeded();
    const { x = 0, y = 0, height = 0 } = (await field.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThan(100);
    const inFront = `document.elementFromPoint(${x + 40}, ${y + height / 2}).id`;
    expect(await page.evaluate(inFront)).toBe('label');
  });

  it('and its scripts and styles are less than 60 KB, with all headers', async ({
    openGateway,
    openPage,
  }) => {
    // With all headers that the default settings cause.
    const gateway = await openGateway({ env: { RATE_LIMIT: '600' } });
    const { page, transferred } = await openPage({}, gateway);
    await page.waitForLoadState('networkidle');
    const { requests, bytes } = await transferred();
    expect(requests).toBeGreaterThan(15);
    expect(bytes).toBeLessThan(60_000);
  });
});
