import { hashOf, type ApiKey } from '../accounts/api-key.ts';
import { countedLedger } from '../accounts/counted-ledger.ts';
import { KeyCache } from '../accounts/key-cache.ts';
import type { AccountStore } from '../accounts/store.ts';
import { Authenticator } from '../server/authenticate.ts';
import type { Common } from './common.ts';

export type Accounts = ReturnType<typeof buildAccounts>;

/** Builds authentication, rate limits and the ledger. */
export function buildAccounts({ config, clock, log, instruments }: Common, store: AccountStore) {
  return {
    /** Counts credits and reports them as metrics. */
    ledger: countedLedger(store, instruments.credits),
    authenticator: new Authenticator({
      auth: config.AUTH,
      keys: new KeyCache((key) => store.findByHash(hashOf(key as ApiKey)), clock),
      rate: config.RATE_LIMIT,
      clock,
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
