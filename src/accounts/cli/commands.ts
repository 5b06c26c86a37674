import { systemClock } from '../../clock.ts';
import type { Account, Plan, PlanChange } from '../account.ts';
import { hashOf, makeKey, type ApiKey } from '../api-key.ts';
import { accountsTable, usageTable } from './listing.ts';
import { monthOf } from '../month.ts';
import { Refusal } from './cli-error.ts';
import type { AccountStore } from '../store.ts';

/** What an operator has done in the store; it returns what he reads. Rejects with `Refusal`. */
export type Command = (store: AccountStore, freeCredits: number) => Promise<string>;

export function create(plan: Plan, json: boolean): Command {
  return async (store) => {
    const key = makeKey();
    return shown(await store.create(plan, hashOf(key)), key, json);
  };
}

export function change(id: string, plan: PlanChange): Command {
  return async (store) =>
    accountsTable([found(await store.change(id, plan), id, 'account that works')]);
}

export function rotate(id: string, json: boolean): Command {
  return async (store) => {
    const key = makeKey();
    const account = found(await store.rotate(id, hashOf(key)), id, 'account that works');
    return shown(account, key, json, 'The old key works for 24 hours more.');
  };
}

export function revoke(id: string): Command {
  return async (store) => {
    const { name } = found(await store.revoke(id), id, 'account');
    return `${name} (${id}): its keys stop within 2 seconds.`;
  };
}

export const list: Command = async (store) => accountsTable(await store.list());

export const usage: Command = async (store, freeCredits) => {
  const [accounts, usages] = await Promise.all([store.list(), store.usage()]);
  return usageTable(accounts, usages, { month: monthOf(systemClock.now()), freeCredits });
};

function found(account: Account | undefined, id: string, what: string): Account {
  if (!account)
    throw new Refusal(
      1,
      `There is no ${what} with the id ${JSON.stringify(id)}; \`list\` shows them all.`,
    );
  return account;
}

/** The one time that a key is seen. */
function shown({ id, name }: Account, key: ApiKey, json: boolean, note = ''): string {
  if (json) return JSON.stringify({ id, name, key });
  return `id    ${id}\nname  ${name}\nkey   ${key}\n\nKeep the key now: it is not stored and cannot be shown again. ${note}`.trimEnd();
}
