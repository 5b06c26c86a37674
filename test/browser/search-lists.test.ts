import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { registered } from '../support/bodies/replies.ts';
import { it, popular, soon } from '../support/requests/search-page.ts';

const phone = { width: 390, height: 844 };

describe('a list of names', () => {
  it('is one grid with a summary, whatever separates the names', async ({ registry, openPage }) => {
    registry.on('bluefox.com', registered('bluefox.com'));
    const { page, field, interpretation, names, ...rest } = await openPage();
    for (const typed of ['bluefox.dev bluefox.com', 'bluefox.dev,bluefox.com']) {
      await field.fill(typed);
      await soon(rest.summary).toBe('1 available · 1 taken');
      expect(await names()).toEqual(['bluefox.dev', 'bluefox.com']);
      expect(await interpretation.innerText()).toBe('Showing 2 names.');
      expect(await rest.headline.isVisible()).toBe(false);
    }
    expect(new URL(page.url()).search).toBe('?q=bluefox.dev,bluefox.com');
    await page.reload();
    await soon(rest.summary).toBe('1 available · 1 taken');
    expect(await names()).toEqual(['bluefox.dev', 'bluefox.com']);
  });

  it('can be a pasted table, of which only the full names are looked up', async ({ openPage }) => {
    const { field, names, summary } = await openPage();
    await field.fill(
      'Domain\tPrice\tRegistrar\nhttps://www.bluefox.dev/\t12.00\tExample\n redfox.com\t9.99\tExample Inc.',
    );
    await soon(summary).toBe('2 available · 0 taken');
    expect(await names()).toEqual(['bluefox.dev', 'redfox.com']);
  });

  it('can be a file', async ({ openPage }) => {
    const { page, names, interpretation } = await openPage();
    await page.getByLabel('Open a file').setInputFiles({
      name: 'names.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('bluefox.dev\r\nred!fox.com\r\n redfox.net\r\nbluefox.dev\r\n'),
    });
    await soon(names).toEqual(['bluefox.dev', 'redfox.net']);
    expect(await interpretation.innerText()).toBe('Showing 2 names. Not names: red!fox.com.');
  });

  it('of labels is looked up under the chosen TLDs', async ({ openPage }) => {
    const { field, names, summary } = await openPage({ search: '?set=test' });
    await field.fill('bluefox, taken');
    await soon(summary).toBe('4 available · 4 taken');
    expect((await names()).slice(3, 5)).toEqual(['bluefox.dev.test', 'taken.test']);
  });

  it('can be compared: each label under each TLD, whatever was typed', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    registry.on('redfox.io', registered('redfox.io'));
    const gateway = await openGateway();
    const { page, names, summary, panel } = await openPage(
      { search: '?q=bluefox.io,redfox.dev', context: { viewport: phone } },
      gateway,
    );
    await soon(summary).toBe('2 available · 0 taken');
    expect(registry.requestCount('redfox.io')).toBe(0);
    await page.getByLabel('Compare').check();
    const matrix = page.getByRole('region', { name: 'Comparison' });
    const cells = () =>
      matrix.locator('td button').evaluateAll((all) => all.map((each) => each.ariaLabel));
    await soon(cells).toEqual([
      'bluefox.io: Available',
      'bluefox.dev: Available',
      'redfox.io: Taken',
      'redfox.dev: Available',
    ]);
    expect(await summary()).toBe('3 available · 1 taken');
    expect(await page.locator('#loaded').innerText()).toBe('4 of 4 names are loaded');
    expect(await matrix.getByRole('columnheader').allInnerTexts()).toEqual(['Name', '.io', '.dev']);
    await page.reload();
    await soon(cells).toContain('redfox.io: Taken');
    await page.getByRole('textbox', { name: 'Name, domain or link' }).press('ArrowDown');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'Enter'])
      await page.keyboard.press(key);
    await soon(() => panel.getByRole('heading').first().innerText()).toBe('redfox.io');
    await page.keyboard.press('Escape');
    await page.getByLabel('Compare').uncheck();
    expect(await names()).toEqual(['bluefox.io', 'redfox.dev']);
    // A matrix that is wider than a phone scrolls in its box, beside the labels.
    await page.goto(`${gateway.url}/?q=bluefox,redfox&view=matrix`);
    const last = matrix.getByRole('button', { name: `bluefox.${popular.at(-1)}` });
    await last.scrollIntoViewIfNeeded();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    const box = await matrix.getByRole('rowheader', { name: 'bluefox' }).boundingBox();
    expect(box?.x).toBeLessThan(phone.width / 10);
  });

  it('can be sorted, copied and saved as CSV', async ({ registry, openPage }) => {
    registry.on('zebra.dev', registered('zebra.dev'));
    const { page, names, summary, tile, panel } = await openPage({
      search: '?q=zebra.dev,bücher.com,ant.net',
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    });
    await soon(summary).toBe('2 available · 1 taken');
    expect(await page.locator('#loaded').innerText()).toBe('3 of 3 names are loaded');
    await page.getByRole('button', { name: 'Shortlist bücher.com' }).click();
    await tile('bücher.com').click();
    await panel.getByLabel('Note').fill('Ask "Anna", today');
    await panel.getByLabel('Group').fill('Books');
    await page.keyboard.press('Escape');
    await page.getByLabel('Sort').selectOption('By group');
    expect(await names()).toEqual(['bücher.com', 'zebra.dev', 'ant.net']);
    await page.getByLabel('Sort').selectOption('A to Z');
    expect(await names()).toEqual(['ant.net', 'bücher.com', 'zebra.dev']);
    await page.getByLabel('Only available').check();
    await page.getByRole('button', { name: 'Copy names' }).click();
    await soon(() => page.evaluate('navigator.clipboard.readText()')).toBe('ant.net\nbücher.com');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(await text(await download.createReadStream())).toBe(
      [
        'domain,unicode_name,status,confidence,problem,cautions,group,note',
        'ant.net,ant.net,available,authoritative,,,,',
        'xn--bcher-kva.com,bücher.com,available,authoritative,,idn_unverified,Books,"Ask ""Anna"", today"',
        '',
      ].join('\r\n'),
    );
    // The order and the filter are in the link that is shared.
    await page.reload();
    await soon(names).toEqual(['ant.net', 'bücher.com']);
  });
});

describe('the answers', () => {
  it('say what is proved, likely, restricted, not for sale, and why something is unknown', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    const registries = { fr: registry.baseUrl, bmw: registry.baseUrl };
    const gateway = await openGateway({ registries });
    const expected = {
      'idea.test': 'Available',
      'idea.fr': 'Available restricted',
      'idea.whois-only.test': 'Likely available',
      'idea.bmw': 'Brand only',
      'idea.dns-only.test': 'Can’t be proved',
      'down.test': 'No answer error',
      'idea.example': 'Not a TLD',
    };
    const { verdict, summary } = await openPage(
      { search: `?q=${Object.keys(expected).join(',')}` },
      gateway,
    );
    await soon(summary).toBe('3 available · 0 taken · 1 reserved · 3 unknown');
    for (const [name, word] of Object.entries(expected)) expect(await verdict(name)).toBe(word);
  });

  it('that failed can be requested again, one by one', async ({ registry, openPage }) => {
    const { page, summary, verdict } = await openPage({
      search: '?q=down.test,html.test,idea.dns-only.test',
    });
    await soon(summary).toBe('0 available · 0 taken · 3 unknown');
    expect(await page.getByRole('button', { name: /^Try .+ again$/ }).count()).toBe(2);
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.postData()?.includes('subscription') === true),
      page.getByRole('button', { name: 'Try down.test again' }).click(),
    ]);
    expect(request.postDataJSON().variables.domains).toEqual(['down.test']);
    await soon(() => verdict('down.test')).toBe('No answer error');
    expect(registry.requests).toEqual([]);
  });
});

it('the shortlist keeps starred names with notes, also after a reload, and lists them by group', async ({
  openPage,
}) => {
  const { page, names, summary, tile, panel } = await openPage({ search: '?q=idea' });
  await soon(summary).toBe(`${popular.length} available · 0 taken`);
  await page.getByRole('button', { name: 'Shortlist idea.dev' }).click();
  await page.getByRole('button', { name: 'Shortlist idea.io' }).click();
  await tile('idea.io').click();
  await panel.getByLabel('Note').fill('  Nice ');
  await panel.getByLabel('Group').fill('Clients');
  await page.reload();
  await soon(() => panel.getByLabel('Note').inputValue()).toBe('Nice');
  await page.getByRole('button', { name: 'Close' }).click();
  const star = page.getByRole('button', { name: 'Shortlist idea.dev' });
  await soon(() => star.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('button', { name: 'Shortlist 2' }).click();
  await soon(names).toEqual(['idea.io', 'idea.dev']);
  const rows = await page.locator('#grid li').allInnerTexts();
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'Clients',
    'idea .io Available Clients · Nice',
    'No group',
    'idea .dev Available',
  ]);
  await page.getByRole('button', { name: 'Shortlist idea.io' }).click();
  await soon(names).toEqual(['idea.dev', 'idea.io']);
  await page.getByRole('button', { name: 'Shortlist 1' }).waitFor();
  await page.goBack();
  await soon(names).toContain('idea.com');
});

it('similar names are looked up when they are opened, with those that end in a TLD', async ({
  registry,
  openPage,
}) => {
  const label = 'blue-site';
  const { page, summary } = await openPage({ search: `?q=${label}` });
  await soon(summary).toBe(`${popular.length} available · 0 taken`);
  expect(registry.requestCount(`get${label}.com`)).toBe(0);
  await page.getByText('Similar names').click();
  const ideas = page.getByRole('list', { name: 'Similar names' });
  await ideas.getByRole('button', { name: `get${label}.com: Available` }).waitFor();
  const shown = await ideas.locator('.name').allTextContents();
  expect(shown).toEqual(
    [
      label.replace('-', ''),
      `${label}s`,
      ...['get', 'try', 'my'].map((prefix) => prefix + label),
      ...['app', 'hq', 'hub', 'labs'].map((suffix) => label + suffix),
    ].map((each) => `${each}.com`),
  );
});
