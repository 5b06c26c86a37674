import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { maintainReservations, type AccountStore } from '../../src/accounts/store.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { scratch } from '../support/stores/scratch.ts';

async function reserve(store: AccountStore, accountId: string) {
  const reserved = await store.reserve(accountId, 5);
  if (!reserved.granted) throw new Error('The reservation was refused.');
  return reserved.reservation;
}

it('extends reservations while work is running, and refunds those of a killed process within 75 seconds', async () => {
  await using folder = await scratch();
  const clock = manualClock();
  const open = () => openAccounts(folder.storeUrl, { clock, freeCredits: 10 });
  const [working, killed, other] = [await open(), await open(), await open()];
  const { id } = await working.create(
    { name: 'Test', credits: null, origins: [] },
    hashOf(generateKey()),
  );
  const { log, lines } = memoryLog();
  const stops = [working, other].map((store) => maintainReservations(store, clock, log));
  const reservation = await reserve(working, id);
  await reserve(killed, id);

  const used = async () => (await other.balance(id)).used;
  for (let seconds = 0; seconds < 60; seconds += 15) {
    expect(await used()).toBe(10);
    await clock.whenPending(2);
    clock.advance(15_000);
  }
  await clock.whenPending(2);
  clock.advance(15_000);
  await clock.whenPending(2);
  expect(await used()).toBe(5);
  expect(lines).toMatchObject([
    { msg: 'Refunded credit reservations that were not settled in time.', reservations: 1 },
  ]);
  expect(await working.settle(reservation, 3)).toMatchObject({ used: 3 });
  for (const stop of stops) stop();
  expect([clock.pending, await other.check()]).toEqual([0, []]);
  await Promise.all([working, killed, other].map((store) => store.close()));
});

it('retries after the ledger was not writable', async () => {
  const clock = manualClock();
  const { log, lines } = memoryLog();
  let refunds = 0;
  const store = {
    extendReservations: async () => undefined,
    refundExpired: async () => {
      refunds += 1;
      if (refunds === 1) throw new Error('the disk is full');
      return 0;
    },
  };
  const stop = maintainReservations(store, clock, log);
  await clock.whenPending();
  expect(lines).toMatchObject([
    { msg: 'Failed to extend or refund credit reservations. Retrying in 15 s.' },
  ]);
  clock.advance(15_000);
  await nextTurn();
  expect(refunds).toBe(2);
  stop();
});
