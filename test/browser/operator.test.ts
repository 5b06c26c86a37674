import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, expect, it } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startMeteredGateway } from '../support/metered-gateway.ts';
import { registered, status } from '../support/replies.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const started = await startBrowser();
afterAll(async () => {
  if (!('absent' in started)) await started.close();
});

const violationsScript =
  'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))';
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
    await page.evaluate(axe);
    expect(await page.evaluate(violationsScript)).toEqual([]);
    // The browser asks without a key first.
    expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
  }
  expect(backgrounds.size).toBe(2);
});
