import { expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { startBrowser } from '../support/requests/browser.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered, status } from '../support/bodies/replies.ts';

const started = await forThisFile(startBrowser);

const displays = [
  { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

it('opens the operator page with a key as password, accessible, dark or light, at every width', async (context) => {
  if ('absent' in started) return context.skip(started.absent);
  await using metered = await startMeteredGateway({ env: { OPERATOR_PAGE: 'on' } });
  const operator = await metered.newCustomer({ name: 'A'.repeat(200), role: 'operator' });
  metered.registry.on('a.example', ({ name }) => registered(name));
  metered.registry.on('b.example', () => status(429, { 'retry-after': '60' }));
  for (const domain of ['a.example', 'b.example', 'down.test', 'html.test'])
    await operator.fetch(`/v1/status?domain=${domain}`);
  const backgrounds = new Set<unknown>();
  for (const display of displays) {
    const httpCredentials = { username: 'operator', password: operator.key };
    // The test injects axe, which the policy of the page forbids.
    await using profile = await started.browser.newContext({
      ...display,
      httpCredentials,
      bypassCSP: true,
    });
    const page = await profile.newPage();
    const errors: string[] = [];
    page.on(
      'console',
      (message) => void (message.type() === 'error' && errors.push(message.text())),
    );
    await page.goto(`${metered.gateway.url}/operator`);
    expect(await page.getByRole('rowheader').filter({ hasText: 'AAA' }).isVisible()).toBe(true);
    for (const name of ['Problems', 'Registries']) {
      const region = page.getByRole('region', { name });
      expect(await region.getByText(/^Back-off until/).isVisible()).toBe(true);
    }
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(display.viewport.width);
    backgrounds.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    expect(await accessibilityViolations(page)).toEqual([]);
    // The browser asks without a key first.
    expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
  }
  expect(backgrounds.size).toBe(2);
});

it('creates, limits and revokes a key with forms that need no scripts, at every width', async (context) => {
  if ('absent' in started) return context.skip(started.absent);
  await using metered = await startMeteredGateway({ env: { OPERATOR_PAGE: 'on' } });
  const operator = await metered.newCustomer({ name: 'Ops', role: 'operator' });
  for (const [index, display] of displays.entries()) {
    const name = `Key ${index} ${'W'.repeat(150)}`;
    const httpCredentials = { username: 'operator', password: operator.key };
    const width = index === 0 ? 320 : 1920;
    await using profile = await started.browser.newContext({
      ...display,
      viewport: { width, height: 800 },
      httpCredentials,
      bypassCSP: true,
    });
    const page = await profile.newPage();
    const field = (label: string) => page.getByRole('textbox', { name: label });
    const check = async () => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      expect(await accessibilityViolations(page)).toEqual([]);
    };
    await page.goto(`${metered.gateway.url}/operator`);
    await field('Name').fill(name);
    await field('Requests per minute').fill('-1');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Requests per minute must be');
    await field('Requests per minute').fill('60');
    await check();
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.locator('code').textContent()).toMatch(/^rgw_/);
    await check();
    await page.reload();
    expect(await page.getByRole('alert').textContent()).toContain('already sent');
    expect(await page.locator('code').count()).toBe(0);

    await page.getByRole('link', { name: 'All accounts' }).click();
    await page.getByRole('row', { name }).getByRole('link').click();
    await field('Credits per month').fill('5');
    await check();
    await page.getByRole('button', { name: 'Change' }).click();
    expect(await field('Credits per month').inputValue()).toBe('5');
    await page.getByRole('link', { name: 'Revoke' }).click();
    expect(
      await page.getByRole('heading', { name: `Revoke the keys of ${name}` }).isVisible(),
    ).toBe(true);
    await check();
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByRole('cell', { name: 'revoked' }).isVisible()).toBe(true);
    const [account] = (await metered.ledger.list()).filter((each) => each.name === name);
    expect(account).toMatchObject({ credits: 5, rate: 60, revokedAt: expect.any(Number) });
    if (process.env['SHOTS']) {
      await page.goto(`${metered.gateway.url}/operator`);
      await page.screenshot({ path: `/tmp/shot-${index}.png`, fullPage: true });
    }
  }
});
