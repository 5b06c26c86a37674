import { describe, expect } from 'vitest';
import { it, soon } from '../support/requests/search-page.ts';

describe('the history', () => {
  it('has a step per search, and the title follows the name', async ({ openPage }) => {
    const { page, field, ...rest } = await openPage({ search: '?set=test' });
    const search = async (label: string) => {
      await field.fill(label);
      await soon(rest.names).toContain(`${label}.shop.test`);
      await soon(rest.summary).toBe('4 available · 0 taken');
      expect(await page.title()).toBe(`${label} · Domain search`);
    };
    await search('bluefox');
    await search('redfox');
    await page.getByText('My list', { exact: true }).click();
    await page.getByLabel('TLDs, separated by spaces or commas').fill('shop.test');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await soon(rest.names).toEqual(['redfox.shop.test']);
    await page.goBack();
    await soon(rest.names).toContain('redfox.app.test');
    await page.goBack();
    await soon(rest.names).toContain('bluefox.app.test');
    expect(await field.inputValue()).toBe('bluefox');
    expect(await page.title()).toBe('bluefox · Domain search');
    await page.goForward();
    await soon(rest.names).toContain('redfox.app.test');
  });

  it('has no step for each letter', async ({ openPage }) => {
    const { page, field } = await openPage({ search: '?q=slow&set=test' });
    const length = () => page.evaluate('history.length');
    const before = await length();
    for (const letter of ['1', '2']) {
      await field.press(letter);
      await soon(() => new URL(page.url()).search).toMatch(`${letter}&`);
    }
    expect(await length()).toBe(before);
  });

  it('opens the list of whoever shared the link', async ({ openPage }) => {
    const { page, names } = await openPage({
      search: '?q=idea&set=custom&tlds=shop.test,dev.test&sort=name',
    });
    await soon(names).toEqual(['idea.dev.test', 'idea.shop.test']);
    await page.getByRole('button', { name: 'Edit list' }).click();
    const list = page.getByLabel('TLDs, separated by spaces or commas');
    expect(await list.inputValue()).toBe('shop.test dev.test');
  });

  it('contains long lists, too', async ({ openPage }) => {
    const list = Array.from({ length: 400 }, (_, at) => `bluefox-number-${at}.test`);
    const { page, field, summary } = await openPage();
    await field.fill(list.join('\n'));
    await soon(summary).toBe('400 available · 0 taken');
    await page.reload();
    await soon(summary).toBe('400 available · 0 taken');
    expect(await field.inputValue()).toBe(list.join('\n'));
  });
});
