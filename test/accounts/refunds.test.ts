import { expect, it } from 'vitest';
import { refundingLedger } from '../../src/accounts/refunds.ts';
import type { Reservation } from '../../src/accounts/store.ts';
import { createLog } from '../../src/log.ts';
import { memoryAccounts } from '../../src/storage/memory/accounts.ts';
import { manualClock } from '../support/manual-clock.ts';

const reservation = (id: number): Reservation => ({ id, accountId: 'a', month: '2026-11', amount: 1 });

it('what is owed is given back twice a second until that works, or is stopped', async () => {
  const clock = manualClock();
  const settled: unknown[] = [];
  let away = true;
  const settle = async ({ id }: Reservation, charged: number) => {
    settled.push([id, charged]);
    if (away) throw new Error('away');
    return { used: 0, limit: 10, remaining: 10, resetsAt: 0 };
  };
  const ledger = refundingLedger({ ...memoryAccounts({ clock, freeCredits: 10 }), settle }, clock, createLog('silent'));
  await expect(ledger.settle(reservation(1), 1)).rejects.toThrow('away');
  clock.advance(500);
  await clock.whenPending();
  away = false;
  clock.advance(500);
  expect(settled).toEqual([1, 0, 0].map((charged) => [1, charged]));
  await new Promise(setImmediate);
  expect(clock.pending).toBe(0);

  away = true;
  await expect(ledger.settle(reservation(2), 1)).rejects.toThrow('away');
  ledger.stop();
  await expect(ledger.settle(reservation(3), 1)).rejects.toThrow('away');
  expect(clock.pending).toBe(0);
});
