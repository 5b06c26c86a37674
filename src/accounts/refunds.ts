import type { Ledger, Reservation } from './store.ts';

/**
 * A ledger in which nothing stays set aside for an operation whose end could not be written: its caller was told that nothing was charged,
 * so it is given back whole before anything else is counted.
 */
export function refundingLedger(ledger: Ledger): Ledger {
  const owed = new Set<Reservation>();

  async function giveBack(): Promise<void> {
    for (const reservation of owed) {
      await ledger.settle(reservation, 0);
      owed.delete(reservation);
    }
  }

  return {
    async reserve(accountId, amount) {
      await giveBack();
      return ledger.reserve(accountId, amount);
    },
    async settle(reservation, charged) {
      try {
        return await ledger.settle(reservation, charged);
      } catch (error) {
        owed.add(reservation);
        throw error;
      }
    },
    async chargeAtOnce(accountId, amount) {
      await giveBack();
      return ledger.chargeAtOnce(accountId, amount);
    },
    async balance(accountId) {
      // A ledger that cannot be written may still be read.
      await giveBack().catch(() => undefined);
      return ledger.balance(accountId);
    },
    refundDangling: () => ledger.refundDangling(),
    check: () => ledger.check(),
  };
}
