import { systemClock } from '../../clock.ts';
import type { Account, Plan, PlanChange } from '../account.ts';
import { hashOf, generateKey, type ApiKey } from '../api-key.ts';
import { formatAccounts, formatUsage } from './listing.ts';
import { monthOf } from '../month.ts';
import { CliError } from './cli-error.ts';
import type { AccountStore } from '../store.ts';

/** What an operator has done in the store; it returns what he reads. Rejects with `Refusal`. */
export type Command = (store: AccountStore, freeCredits: number) => Promise<string>;

export function create(plan: Plan, json: boolean): Command {
  return async (store) => {
    const key = generateKey();
    return formatNewKey(await store.create(plan, hashOf(key)), key, json);
  };
}

export function change(id: string, plan: PlanChange): Command {
  return async (store) =>
    formatAccounts([requireAccount(await store.change(id, plan), id, 'account that works')]);
}

export function rotate(id: string, json: boolean): Command {
  return async (store) => {
    const key = generateKey();
    const account = requireAccount(await store.rotate(id, hashOf(key)), id, 'account that works');
    return formatNewKey(account, key, json, 'The old key works for 24 hours more.');
  };
}

export function revoke(id: string): Command {
  return async (store) => {
    const { name } = requireAccount(await store.revoke(id), id, 'account');
    return `${name} (${id}): its keys stop within 2 seconds.`;
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
      `There is no ${kind} with the id ${JSON.stringify(id)}; \`list\` shows them all.`,
    );
  return account;
}

/** The one time that a key is seen. */
function formatNewKey({ id, name }: Account, key: ApiKey, json: boolean, note = ''): string {
  if (json) return JSON.stringify({ id, name, key });
  return `id    ${id}\nname  ${name}\nkey   ${key}\n\nKeep the key now: it is not stored and cannot be shown again. ${note}`.trimEnd();
}
