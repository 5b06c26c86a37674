import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openStores } from '../../src/storage/open.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';

it.each([
  ['/health', 'ok'],
  ['/ready', 'ready'],
])('%s returns 200, which must not be cached', async (path, status) => {
  await using gateway = await startGateway();
  const response = await gateway.fetch(path);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status });
  expect(response.headers.get('cache-control')).toBe('no-store');
  const head = await gateway.fetch(path, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  expect(head.headers.get('content-length')).toEqual(response.headers.get('content-length'));
  const posted = await gateway.fetch(path, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it('/ready writes to the ledger once for all requests during the write and within 250 ms after it', async () => {
  const stores = await openStores(
    'memory:',
    { clock: systemClock, freeCredits: 0 },
    createLog('silent'),
  );
  const clock = frozenClock();
  const written: PromiseWithResolvers<void>[] = [];
  const probe = () => {
    const write = Promise.withResolvers<void>();
    written.push(write);
    return write.promise;
  };
  await using gateway = await startGateway({
    clock,
    stores: { ...stores, accounts: { ...stores.accounts, probe } },
  });
  const statusOf = async () => (await gateway.fetch('/ready')).status;
  const requested = Array.from({ length: 10 }, statusOf);
  await expect.poll(() => written.length).toBe(1);
  clock.advance(60_000);
  requested.push(statusOf());
  await gateway.fetch('/health'); // sent after the last of them
  written[0]?.resolve();
  expect(await Promise.all(requested)).toEqual(requested.map(() => 200));
  clock.advance(249);
  expect(await statusOf()).toBe(200);
  expect(written).toHaveLength(1);
  clock.advance(1);
  const nextStatus = statusOf();
  await expect.poll(() => written.length).toBe(2);
  written[1]?.reject(new Error('disk full'));
  expect(await nextStatus).toBe(503);
});
