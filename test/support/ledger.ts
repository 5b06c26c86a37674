import type { AccountStore } from '../../src/accounts/store.ts';
import type { Clock } from '../../src/clock.ts';
import { TableAccountStore } from '../../src/storage/account-store.ts';
import { AccountsFile, isReadOnly, unwrapResult } from '../../src/storage/sqlite/accounts-file.ts';

/**
 * Opens a ledger file in this thread, beside the gateway or the command that a test runs. The thread
 * that a gateway starts for its own takes 25 ms of processor time.
 */
export function openLedger(path: string, clock: Clock): AccountStore {
  const file = new AccountsFile(path);
  const tables: ConstructorParameters<typeof TableAccountStore>[0] = {
    async call(method, ...args) {
      const call = { method, args };
      return unwrapResult(isReadOnly(call) ? file.read(call) : file.commit([call])[0]) as never;
    },
    close: async () => file.close(),
  };
  return new TableAccountStore(tables, { clock, freeCredits: 10_000 });
}
