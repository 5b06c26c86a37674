import type { Ledger } from './store.ts';

/** Told what is done with credits, once it is done. */
interface CreditCounters {
  reserved(credits: number): void;
  charged(credits: number): void;
  refunded(credits: number): void;
}

/** The same ledger, counted. A charge at once is a reservation and its settling, as one. */
export function instrumentedLedger(ledger: Ledger, counters: CreditCounters): Ledger {
  return {
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
  };
}
