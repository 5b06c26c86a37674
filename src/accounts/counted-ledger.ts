import type { IdempotencyKeys } from './idempotency.ts';
import type { Ledger } from './store.ts';

/**
 * Wraps a ledger and reports its successful operations to `counters`. A direct charge counts as
 * reserved and charged.
 */
export function countedLedger(
  ledger: Ledger & IdempotencyKeys,
  counters: Readonly<Record<'reserved' | 'charged' | 'refunded', (amount: number) => void>>,
): Ledger & IdempotencyKeys {
  return {
    idempotencyStatus: (use) => ledger.idempotencyStatus(use),
    bindIdempotencyKey: (use) => ledger.bindIdempotencyKey(use),
    addIdempotentCharge: (use, amount) => ledger.addIdempotentCharge(use, amount),
    balance: (accountId) => ledger.balance(accountId),
    async reserve(accountId, amount) {
      const outcome = await ledger.reserve(accountId, amount);
      if (outcome.granted) counters.reserved(amount);

      return outcome;
    },
    async settle(reservation, charged) {
      const balance = await ledger.settle(reservation, charged);
      counters.charged(charged);
      counters.refunded(reservation.amount - charged);

      return balance;
    },
    async charge(accountId, amount) {
      const outcome = await ledger.charge(accountId, amount);
      if (outcome.granted) counters.reserved(amount);
      if (outcome.granted) counters.charged(amount);

      return outcome;
    },
    async refund(accountId, month, amount) {
      await ledger.refund(accountId, month, amount);
      counters.refunded(amount);
    },
  };
}
