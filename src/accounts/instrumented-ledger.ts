import type { Ledger } from './store.ts';

/** Told what is done with credits, once it is done. */
interface CreditCounts {
  reserved(credits: number): void;
  charged(credits: number): void;
  refunded(credits: number): void;
}

/** The same ledger, counted. A charge at once is a reservation and its settling, as one. */
export function countedLedger(ledger: Ledger, counts: CreditCounts): Ledger {
  return {
    balance: (accountId) => ledger.balance(accountId),
    async reserve(accountId, amount) {
      const outcome = await ledger.reserve(accountId, amount);
      if (outcome.granted) counts.reserved(amount);
      return outcome;
    },
    async settle(reservation, charged) {
      const balance = await ledger.settle(reservation, charged);
      counts.charged(charged);
      counts.refunded(reservation.amount - charged);
      return balance;
    },
    async chargeAtOnce(accountId, amount) {
      const outcome = await ledger.chargeAtOnce(accountId, amount);
      if (outcome.granted) counts.reserved(amount);
      if (outcome.granted) counts.charged(amount);
      return outcome;
    },
  };
}
