// Measures the search page in a real browser: `node test/bench/search-page.ts`.
import { chromium } from 'playwright-core';
import { startBrowserProcess } from '../support/requests/browser-process.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const rows = 300;
const tlds = Array.from({ length: rows }, (_, index) => `tld${index}`);

/** Runs in the page before its own scripts. */
const observe = `
  localStorage.setItem('custom-tlds', ${JSON.stringify(JSON.stringify(tlds))});
  window.measured = { longTasksMs: [], layoutShift: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) measured.longTasksMs.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

await using browserProcess = await startBrowserProcess();
const browser = await chromium.connect(browserProcess.endpoint);
await using registry = await startFakeRegistry();
await using gateway = await startGateway({
  registries: Object.fromEntries(tlds.map((tld) => [tld, registry.baseUrl])),
  env: { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '100' },
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.addInitScript(observe);
const transfers: Promise<number>[] = [];
page.on('requestfinished', (request) => {
  const sizes = request.sizes();
  transfers.push(sizes.then((each) => each.responseHeadersSize + each.responseBodySize));
});
await page.goto(gateway.url);
await page.waitForLoadState('networkidle');
const onLoad = await Promise.all(transfers);
await page.goto(`${gateway.url}/?set=custom&q=idea`);
await page.getByText(`${rows} available`).first().waitFor();
const measured = await page.evaluate<object>('measured');
console.log({
  requests: onLoad.length,
  bytes: onLoad.reduce((sum, size) => sum + size, 0),
  rows,
  ...measured,
});
await browser.close();
