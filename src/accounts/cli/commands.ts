import { systemClock } from '../../clock.ts';
import type { Account, Plan, PlanChange } from '../account.ts';
import { hashOf, generateKey, type ApiKey } from '../api-key.ts';
import { formatAccounts, formatUsage } from './listing.ts';
import { monthOf } from '../month.ts';
import { CliError } from './cli-error.ts';
import type { AccountStore } from '../store.ts';

/** Runs a command on the store and returns its output. Rejects with `CliError`. */
export type Command = (store: AccountStore, freeCredits: number) => Promise<string>;

export function create(plan: Plan, json: boolean): Command {
  return async (store) => {
    const key = generateKey();
    return formatNewKey(await store.create(plan, hashOf(key)), key, json);
  };
}

export function change(id: string, plan: PlanChange): Command {
  return async (store) =>
    formatAccounts([requireAccount(await store.change(id, plan), id, 'active account')]);
}

export function rotate(id: string, json: boolean): Command {
  return async (store) => {
    const key = generateKey();
    const account = requireAccount(await store.rotate(id, hashOf(key)), id, 'active account');
    return formatNewKey(account, key, json, 'The old key works for another 24 hours.');
  };
}

export function revoke(id: string): Command {
  return async (store) => {
    const { name } = requireAccount(await store.revoke(id), id, 'account');
    return `Revoked ${name} (${id}). Its keys stop working within 2 seconds.`;
  };
}

export const list: Command = async (store) => formatAccounts(await store.list());

export const usage: Command = async (store, freeCredits) => {
  const [accounts, usages] = await Promise.all([store.list(), store.usage()]);
  return formatUsage(accounts, usages, { month: monthOf(systemClock.now()), freeCredits });
};

function requireAccount(account: Account | undefined, id: string, kind: string): Account {
  if (!account)
    throw new CliError(
      1,
      `No ${kind} with ID ${JSON.stringify(id)}. Run \`keys list\` to see all accounts.`,
    );
  return account;
}

/** Formats a new key. This is the only time that a key is shown. */
function formatNewKey({ id, name }: Account, key: ApiKey, json: boolean, note = ''): string {
  if (json) return JSON.stringify({ id, name, key });
  return `id    ${id}\nname  ${name}\nkey   ${key}\n\nCopy the key now. It is not stored and will not be shown again. ${note}`.trimEnd();
}
