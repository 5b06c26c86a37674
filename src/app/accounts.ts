import { KeyCache } from '../accounts/key-cache.ts';
import { RateLimit } from '../accounts/rate-limit.ts';
import type { AccountStore, Ledger } from '../accounts/store.ts';
import { workLimit } from '../accounts/work-limit.ts';
import type { Instruments } from '../metrics/instruments.ts';
import { Authenticator } from '../server/authenticate.ts';
import type { Common } from './common.ts';

export type Accounts = ReturnType<typeof buildAccounts>;

/** Builds authentication, rate limits and the ledger. */
export function buildAccounts({ config, clock, log, instruments }: Common, store: AccountStore) {
  return {
    /** Counts credits and reports them as metrics. */
    ledger: instrumentedLedger(store, instruments.credits),
    authenticator: new Authenticator({
      auth: config.AUTH,
      keys: new KeyCache(store, clock),
      rateLimit: new RateLimit(config.RATE_LIMIT, clock),
      openWork: workLimit(config.RATE_LIMIT, clock),
    }),
    /** Resolves to whether credits can be counted now. */
    async isReady() {
      try {
        await store.probe();
        return true;
      } catch (error) {
        log.error(
          { err: error },
          'Not ready: the ledger is not writable. Check disk space and the database.',
        );
        return false;
      }
    },
  };
}

/**
 * Wraps a ledger and reports its successful operations to `counters`. A direct charge counts as
 * reserved and charged.
 */
function instrumentedLedger(ledger: Ledger, counters: Instruments['credits']): Ledger {
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
    async refund(accountId, month, amount) {
      await ledger.refund(accountId, month, amount);
      counters.refunded(amount);
    },
  };
}
