import type { ListedAccount } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/store.ts';
import { CliError } from './cli-error.ts';

/**
 * Finds an account by its ID, or an active one by its name. Rejects with `CliError` if there is
 * none, or if several have the name.
 */
export async function findAccount(store: AccountStore, text: string): Promise<ListedAccount> {
  const accounts = await store.list();
  const named = activeNamed(accounts, text);
  const found = accounts.find(({ id }) => id === text) ?? named[0];
  if (!found) throw noActiveAccount(text);
  if (found.id !== text && named.length > 1)
    throw new CliError(
      1,
      `${named.length} accounts have the name ${JSON.stringify(text)}. Use one of their IDs: ${named.map(({ id }) => id).join(', ')}.`,
    );
  return found;
}

/** Returns the accounts with a name, without revoked ones. */
export function activeNamed<A extends Pick<ListedAccount, 'name' | 'revokedAt'>>(
  accounts: readonly A[],
  name: string,
): readonly A[] {
  return accounts.filter((account) => account.revokedAt === null && account.name === name);
}

export function noActiveAccount(text: string): CliError {
  return new CliError(
    1,
    `No active account has the ID or name ${JSON.stringify(text)}. Run \`keys list\` to see all accounts.`,
  );
}
