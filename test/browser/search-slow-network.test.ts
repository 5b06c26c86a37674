import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { frozenClock } from '../support/time/frozen-clock.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';
import { it, popular, soon } from '../support/requests/search-page.ts';

/** Limits the connection of a page to that of a bad mobile network, without a cache. */
async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const bytesPerSecond = 50 * 1024;
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

/** Records what later pages announce to screen readers, and elements that jump. */
async function observe(page: Page) {
  await page.addInitScript(`
    window.heard = [];
    window.jumps = [];
    const hear = () => {
      for (const region of document.querySelectorAll('[role=status], [role=alert]')) {
        const text = region.checkVisibility() ? region.innerText.replaceAll(/\\s+/g, ' ').trim() : '';
        if (text && heard.at(-1) !== text && region.lastText !== text) heard.push(text);
        region.lastText = text;
      }
    };
    new MutationObserver(hear).observe(document, {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
    new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries())
        for (const { node, previousRect, currentRect } of sources) {
          const element = node?.nodeType === 3 ? node.parentElement : node;
          const hasMoved = JSON.stringify(previousRect) !== JSON.stringify(currentRect);
          // The counts of the summary have no fixed width.
          if (hasMoved && !element?.closest('#summary')) jumps.push(element?.outerHTML.slice(0, 80));
        }
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  return {
    heard: () => page.evaluate<string[]>('heard'),
    jumps: () => page.evaluate<unknown[]>('jumps'),
  };
}

describe('on a slow network, the search page', () => {
  it('keeps what is typed before it is ready, shows rows one by one, and moves nothing', async ({
    registry,
    openGateway,
    openPage,
  }) => {
    const rows = [paused(notFound()), paused(registered('idea.net'))] as const;
    registry.on('idea.com', rows[0]);
    registry.on('idea.net', rows[1]);
    const gateway = await openGateway();
    const { page, field, verdict, summary } = await openPage({}, gateway);
    const { heard, jumps } = await observe(page);
    await slowDown(page);
    const hasTyped = Promise.withResolvers<void>();
    await page.route('**/search.js', async (route) => {
      await hasTyped.promise;
      await route.continue();
    });
    const loaded = page.goto(gateway.url);
    await field.fill('idea');
    hasTyped.resolve();
    await loaded;
    await soon(summary).toBe(`${popular.length - 2} available · 0 taken · 2 checking`);
    const two = () => Promise.all(['idea.com', 'idea.net'].map(verdict));
    expect(await two()).toEqual(['Checking', 'Checking']);
    rows[0].release();
    await soon(two).toEqual(['Available', 'Checking']);
    rows[1].release();
    await soon(two).toEqual(['Available', 'Taken']);
    await soon(heard).toEqual([
      'Showing results for idea.',
      `${popular.length} names checked: ${popular.length - 1} available, 1 taken.`,
    ]);
    expect(await jumps()).toEqual([]);
    await page.close();
  });

  it('searches the chosen set if an empty list is opened before the text is read', async ({
    openGateway,
    openPage,
  }) => {
    const gateway = await openGateway();
    const { page, names } = await openPage({}, gateway);
    const hasOpened = Promise.withResolvers<void>();
    await page.route('**/read-text.js', async (route) => {
      await hasOpened.promise;
      await route.continue();
    });
    await page.goto(new URL('?q=idea', gateway.url).href);
    await page.getByText('My list', { exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    hasOpened.resolve();
    await soon(async () => (await names()).length).toBe(popular.length);
    await page.close();
  });

  it('reads a text that was typed without a connection, once there is one', async ({
    openPage,
  }) => {
    const expectedErrors = ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'];
    const { page, field, names, notice } = await openPage({ expectedErrors });
    await page.context().setOffline(true);
    await field.fill('- free.test\n- taken.test');
    await notice.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await soon(names).toEqual(['free.test', 'taken.test']);
  });

  it('says that there are too many requests, counts down, and continues by itself', async ({
    openGateway,
    openPage,
  }) => {
    const clock = frozenClock();
    const gateway = await openGateway({ clock, env: { RATE_LIMIT: '60' } });
    const tooMany =
      'Failed to load resource: the server responded with a status of 429 (Too Many Requests)';
    const { page, field, notice, summary } = await openPage(
      { search: '?set=test&q=idea', expectedErrors: [tooMany] },
      gateway,
    );
    await soon(summary).toBe('4 available · 0 taken');
    clock.advance(60_000);
    const { heard } = await observe(page);
    await slowDown(page);
    await page.reload();
    await soon(summary).toBe('4 available · 0 taken');
    while ((await gateway.fetch('/v1/tlds')).status !== 429);
    await field.fill('taken');
    await soon(() => notice.isVisible()).toBe(true);
    await soon(heard).toContainEqual(
      expect.stringMatching(/^You have sent too many requests\. Continuing in 1 s\./),
    );
    clock.advance(60_000);
    await soon(summary).toBe('0 available · 4 taken');
    expect(await notice.isVisible()).toBe(false);
    expect((await heard()).at(-1)).toBe('4 names checked: 0 available, 4 taken.');
    await page.close();
  });
});
