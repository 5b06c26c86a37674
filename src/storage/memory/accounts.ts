import type { AccountStore } from '../../accounts/store.ts';
import { accountStore, type AccountStoreOptions } from '../account-store.ts';
import { openAccountsFile } from '../sqlite/accounts-file.ts';

/** Keeps accounts for as long as the process lives: the tables of the file, in memory, so that credits are counted by the same rules. */
export function memoryAccounts(options: AccountStoreOptions): AccountStore {
  const file = openAccountsFile(':memory:');
  return accountStore(
    {
      async call(method, ...args) {
        const [outcome] = file.commit([{ method, args }]);
        if (outcome && 'value' in outcome) return outcome.value as never;
        throw outcome?.failure;
      },
      close: async () => file.close(),
    },
    options,
  );
}
