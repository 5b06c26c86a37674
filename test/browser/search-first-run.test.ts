import { describe, expect } from 'vitest';
import { startFlakyProxy } from '../support/servers/flaky-proxy.ts';
import { notFound } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';
import { it, soon } from '../support/requests/search-page.ts';

const offline = { env: { RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json' } };

describe('the first visit', () => {
  it('looks up names under .test without a network', async ({ openGateway, openPage }) => {
    const gateway = await openGateway(offline);
    const { page, notice } = await openPage({ search: '?q=taken.test' }, gateway);
    await soon(() => page.locator('#headline .verdict').innerText()).toBe('Taken');
    expect(await notice.isVisible()).toBe(false);
  });

  it.for([
    ['stores nothing', `get() { throw new DOMException('Denied', 'SecurityError'); }`],
    ['has stored something else', `value: { getItem: () => 'null', setItem() {} }`],
  ])('looks up and stars names in a browser that %s', async ([, storage], { openPage }) => {
    const { page } = await openPage();
    const replaced = `Object.defineProperty(globalThis, 'localStorage', { ${storage} });`;
    await page.addInitScript(replaced);
    if (storage?.startsWith('get'))
      await page.addInitScript(replaced.replace('localStorage', 'sessionStorage'));
    await page.goto(`${new URL(page.url()).origin}/?q=taken.test`);
    await soon(() => page.locator('#headline .verdict').innerText()).toBe('Taken');
    await page.getByRole('button', { name: 'Shortlist taken.test' }).first().click();
    await page.getByRole('button', { name: 'Shortlist 1' }).waitFor();
  });

  it('moves hardly anything while the samples arrive', async ({ openPage }) => {
    const { page } = await openPage();
    await page.addInitScript(`
        globalThis.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) shift += value;
        }).observe({ type: 'layout-shift', buffered: true });
      `);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.locator('.samples .tile', { hasText: 'Reserved' }).waitFor();
      expect(await page.evaluate<number>('shift'), `${width} px`).toBeLessThan(0.1);
    }
    await page.close();
  });

  it('continues by itself after the gateway was away', async ({
    registry,
    openGateway,
    openPage,
    parts,
  }) => {
    const slow = paused(notFound());
    registry.on('idea.com', slow);
    const gateway = await openGateway();
    const proxy = parts.use(await startFlakyProxy(gateway.url));
    const { page, notice } = await openPage(
      {
        search: '?q=idea.com',
        expectedErrors: ['Failed to load resource: net::ERR_CONNECTION_RESET'],
      },
      proxy,
    );
    await soon(() => registry.requestCount('idea.com')).toBeGreaterThan(0);
    proxy.cutConnections();
    await soon(() => notice.innerText()).toContain('Continuing in');
    slow.release();
    await soon(() => page.locator('#headline .verdict').innerText()).toBe('Available');
    expect(await notice.isVisible()).toBe(false);
  });
});

it('offers the name that was meant, and several names in place of one', async ({ openPage }) => {
  const { page, field } = await openPage({ search: '?q=bluefox.con' });
  await page.getByRole('button', { name: 'Search bluefox.com instead' }).click();
  expect(await field.inputValue()).toBe('bluefox.com');
  await field.fill('bluefox redfox greenfox');
  await page.getByRole('button', { name: 'Check as 3 names' }).click();
  expect(await field.inputValue()).toBe('bluefox, redfox, greenfox');
  await soon(() => page.locator('#interpretation').innerText()).toBe('Showing 3 names.');
});
