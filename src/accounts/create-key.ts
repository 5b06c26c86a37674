import type { Account, ListedAccount, Plan } from './account.ts';
import { generateKey, hashOf, type ApiKey } from './api-key.ts';
import type { AccountStore } from './store.ts';

/**
 * Creates an account and its key, which is returned only here: the store contains its hash. Returns
 * the active account that has the name, without a key, if there is one and not `force`.
 */
export async function createKey(
  store: Pick<AccountStore, 'list' | 'create'>,
  plan: Plan,
  force = false,
): Promise<{ readonly account: Account; readonly key?: ApiKey }> {
  const [existing] = activeNamed(await store.list(), plan.name);
  if (existing && !force) return { account: existing };

  const key = generateKey();
  return { account: await store.create(plan, hashOf(key)), key };
}

/** Returns the accounts with a name, without revoked ones. */
export function activeNamed(
  accounts: readonly ListedAccount[],
  name: string,
): readonly ListedAccount[] {
  return accounts.filter((account) => account.revokedAt === null && account.name === name);
}
