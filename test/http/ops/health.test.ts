import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { startGateway } from '../../support/gateway.ts';
import { frozenClock } from '../../support/frozen-clock.ts';

it.each([
  ['/health', 'ok'],
  ['/ready', 'ready'],
])('%s says yes, to be believed for this moment only', async (path, status) => {
  await using gateway = await startGateway();
  const answer = await gateway.fetch(path);
  expect([answer.status, await answer.json(), answer.headers.get('cache-control')]).toEqual([
    200,
    { status },
    'no-store',
  ]);
  const head = await gateway.fetch(path, { method: 'HEAD' });
  expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([
    200,
    '',
    answer.headers.get('content-length'),
  ]);
  const posted = await gateway.fetch(path, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it('/ready writes to the ledger once for all who ask within a quarter of a second, and while it is being written', async () => {
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
  const asked = Array.from({ length: 10 }, statusOf);
  await expect.poll(() => written.length).toBe(1);
  clock.pass(60_000);
  asked.push(statusOf());
  await gateway.fetch('/health'); // sent after the last of them
  written[0]?.resolve();
  expect(await Promise.all(asked)).toEqual(asked.map(() => 200));
  clock.pass(249);
  expect(await statusOf()).toBe(200);
  expect(written).toHaveLength(1);
  clock.pass(1);
  const askedAgain = statusOf();
  await expect.poll(() => written.length).toBe(2);
  written[1]?.reject(new Error('no room'));
  expect(await askedAgain).toBe(503);
});
