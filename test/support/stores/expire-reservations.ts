import { reservationExpiryMs } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';

/** Refunds all open reservations of a store as if they had expired. Returns their number. */
export async function expireReservations(storeUrl: string): Promise<number> {
  const clock = { ...systemClock, now: () => systemClock.now() + reservationExpiryMs };
  const store = await openAccounts(storeUrl, { clock, freeCredits: 0 });
  try {
    return await store.refundExpired();
  } finally {
    await store.close();
  }
}
