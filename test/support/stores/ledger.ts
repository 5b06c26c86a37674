import type { AccountStore } from '../../../src/accounts/store.ts';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { TableAccountStore } from '../../../src/storage/account-store.ts';
import { fileTables } from '../../../src/storage/sqlite/accounts.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { LedgerFile } from '../../../src/storage/sqlite/ledger-file.ts';

/**
 * Opens a ledger file in this thread, beside the gateway or the command that a test runs. The thread
 * that a gateway starts for its own takes 25 ms of processor time.
 */
export function openLedger(path: string, clock: Clock): AccountStore {
  return new TableAccountStore(fileTables(new LedgerFile(path)), { clock, freeCredits: 10_000 });
}

/** Opens the ledger of a store as another process does, and closes it after `work`. */
export async function withLedger<T>(
  storeUrl: string,
  work: (ledger: AccountStore) => Promise<T>,
  { clock = systemClock, freeCredits = 10_000 }: { clock?: Clock; freeCredits?: number } = {},
): Promise<T> {
  const ledger = await openAccounts(storeUrl, { clock, freeCredits });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
