import type { AccountStore } from '../../accounts/store.ts';
import {
  TableAccountStore,
  type AccountStoreOptions,
  type RemoteTables,
} from '../account-store.ts';
import { AccountsFile, isReadOnly, unwrapResult } from '../sqlite/accounts-file.ts';

/**
 * Creates an account store in memory, with the tables of the SQLite store so that credits are
 * counted by the same rules.
 */
export function memoryAccounts(options: AccountStoreOptions): AccountStore {
  const file = new AccountsFile(':memory:');
  const tables: RemoteTables = {
    async call(method, ...args) {
      const call = { method, args };
      return unwrapResult(isReadOnly(call) ? file.read(call) : file.commit([call])[0]) as never;
    },
    close: async () => file.close(),
  };
  return new TableAccountStore(tables, options);
}
