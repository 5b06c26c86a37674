import { readFileSync } from 'node:fs';
import {
  monthOf,
  stateOf,
  type Account,
  type ListedAccount,
  type Plan,
  type PlanChange,
} from '../../accounts/account.ts';
import { activeNamed, createKey } from '../../accounts/create-key.ts';
import { generateKey, hashOf, type ApiKey } from '../../accounts/api-key.ts';
import type { AccountStore, Usage } from '../../accounts/store.ts';
import { systemClock } from '../../clock.ts';
import { SigningKeys } from '../../receipts/signing-keys.ts';
import { reasonOf } from '../../shared/reason-of.ts';
import type { SqlDatabase } from '../../shared/sql-database.ts';
import { CommandError } from '../command-error.ts';
import { formatTable } from '../output/format-table.ts';

/** Runs a command on the store and returns its output. Rejects with `CommandError`. */
export type Command = (
  store: AccountStore,
  freeCredits: number,
  openDatabase: () => Promise<SqlDatabase>,
) => Promise<string>;

interface CreateOptions {
  /** The file of the documents to which the key is limited. */
  readonly documents: string | undefined;
  /** Creates the account even if an active one has the same name. */
  readonly force: boolean;
  readonly json: boolean;
}

export function create(plan: Plan, { documents, force, json }: CreateOptions): Command {
  return async (store) => {
    const limit = await readDocuments(documents);
    const { account, key } = await createKey(store, { ...plan, ...limit }, force);
    if (key === undefined)
      throw new CommandError(
        1,
        `Account ${account.id} already has the name ${JSON.stringify(plan.name)}. Choose another name, or use --force.`,
      );

    return formatNewKey(account, key, json);
  };
}

/** Changes a plan. `documents` is the value of `--documents`. */
export function change(idOrName: string, plan: PlanChange, documents?: string): Command {
  return async (store, freeCredits) => {
    const account = await findAccount(store, idOrName);
    const changed = await store.change(account.id, {
      ...plan,
      ...(await readDocuments(documents)),
    });
    if (!changed) throw noActiveAccount(idOrName);

    return formatAccounts([{ ...account, ...changed }], freeCredits);
  };
}

export function rotate(idOrName: string, json: boolean): Command {
  return async (store) => {
    const key = generateKey();
    const { id } = await findAccount(store, idOrName);
    const account = await store.rotate(id, hashOf(key));
    if (!account) throw noActiveAccount(idOrName);
    return formatNewKey(account, key, json, 'The old key works for another 24 hours.');
  };
}

export function revoke(idOrName: string): Command {
  return async (store) => {
    const { id, name } = await findAccount(store, idOrName);
    await store.revoke(id);
    return `Revoked ${name} (${id}). Its keys stop working within 2 seconds.`;
  };
}

export function signing(action: string): Command {
  if (action !== 'rotate') throw new CommandError(2, 'Missing rotate: run `keys signing rotate`.');
  return async (_store, _freeCredits, openDatabase) => {
    const database = await openDatabase();
    try {
      const { kid } = await new SigningKeys(database, systemClock).rotate();
      return `Receipts are signed with the key ${kid} from now on.`;
    } finally {
      await database.close();
    }
  };
}

export function list(json: boolean): Command {
  return async (store, freeCredits) => {
    const accounts = await store.list();
    return json ? accountsToJson(accounts, freeCredits) : formatAccounts(accounts, freeCredits);
  };
}

export function usage(json: boolean): Command {
  return async (store, freeCredits) => {
    const [accounts, usages] = await Promise.all([store.list(), store.usage()]);
    const rows = usageByMonth(accounts, usages, freeCredits);
    return json ? JSON.stringify(rows) : formatUsage(rows);
  };
}

/** Formats a new key. This is the only time that a key is shown. */
function formatNewKey(
  { id, name, documents }: Account,
  key: ApiKey,
  json: boolean,
  note = '',
): string {
  if (json) return JSON.stringify({ id, name, key });
  const operations = documents?.map((document) => document.name).join(', ');
  const limit = operations === undefined ? '' : `\nThe key is limited to: ${operations}`;
  return `id    ${id}\nname  ${name}\nkey   ${key}\n${limit}\nCopy the key now. It is not stored and will not be shown again. ${note}`.trimEnd();
}

/**
 * Finds an account by its ID, or an active one by its name. Rejects with `CommandError` if there is
 * none, or if several have the name.
 */
async function findAccount(store: AccountStore, text: string): Promise<ListedAccount> {
  const accounts = await store.list();
  const named = activeNamed(accounts, text);
  const found = accounts.find(({ id }) => id === text) ?? named[0];
  if (!found) throw noActiveAccount(text);
  if (found.id !== text && named.length > 1)
    throw new CommandError(
      1,
      `${named.length} accounts have the name ${JSON.stringify(text)}. Use one of their IDs: ${named.map(({ id }) => id).join(', ')}.`,
    );

  return found;
}

function noActiveAccount(text: string): CommandError {
  return new CommandError(
    1,
    `No active account has the ID or name ${JSON.stringify(text)}. Run \`keys list\` to see all accounts.`,
  );
}

/**
 * Reads the documents of `--documents`: those of a file, or none for `any`, which removes the limit.
 * An absent option changes nothing. Rejects with `CommandError`.
 */
async function readDocuments(file: string | undefined): Promise<PlanChange> {
  if (file === undefined) return {};
  if (file === 'any') return { documents: null };

  const source = readSource(file);
  // Only this option needs the schema, whose modules take longer to load than the others.
  const [{ schema }, { DocumentsError, readTrustedDocuments }] = await Promise.all([
    import('../../app/schema.ts'),
    import('../../api/graphql/read-trusted-documents.ts'),
  ]);
  try {
    return { documents: readTrustedDocuments(source, schema) };
  } catch (error) {
    if (error instanceof DocumentsError) throw invalidDocuments(file, error.message);
    throw error;
  }
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalidDocuments(file, `It cannot be read: ${reasonOf(error)}`);
  }
}

function invalidDocuments(file: string, reason: string): CommandError {
  return new CommandError(2, `--documents ${file}: ${reason}`);
}

function formatAccounts(accounts: readonly ListedAccount[], freeCredits: number): string {
  const columns: Readonly<Record<string, (account: ListedAccount) => string>> = {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    LIMIT: ({ credits }) => (credits === null ? `${freeCredits} (free)` : String(credits)),
    CREATED: ({ createdAt }) => dayOf(createdAt),
    'LAST CHARGED': ({ lastChargedAt }) => (lastChargedAt === null ? '-' : minuteOf(lastChargedAt)),
    EXPIRES: ({ expiresAt }) => (expiresAt === null ? 'never' : minuteOf(expiresAt)),
    STATE: (account) =>
      stateOf(account, systemClock.now()) +
      (account.revokedAt === null ? '' : ` ${dayOf(account.revokedAt)}`),
    ROLE: ({ role }) => role ?? '',
    ORIGINS: ({ origins }) => origins.join(' '),
    DOCUMENTS: ({ documents }) => (documents === null ? '' : String(documents.length)),
    RATE: ({ rate }) => String(rate ?? ''),
  };
  const rows = accounts.map((account) => Object.values(columns).map((cell) => cell(account)));

  return formatTable(Object.keys(columns), rows);
}

function accountsToJson(accounts: readonly ListedAccount[], freeCredits: number): string {
  const rows = accounts.map((account) => ({
    id: account.id,
    name: account.name,
    credits: account.credits,
    limit: account.credits ?? freeCredits,
    createdAt: isoTime(account.createdAt),
    lastChargedAt: isoTime(account.lastChargedAt),
    expiresAt: isoTime(account.expiresAt),
    revokedAt: isoTime(account.revokedAt),
    state: stateOf(account, systemClock.now()),
    origins: account.origins,
    documents: account.documents && account.documents.map(({ ids, name }) => ({ name, ids })),
    role: account.role,
    rate: account.rate,
  }));
  return JSON.stringify(rows);
}

/**
 * Returns the credits used per month and account, newest month first. In the current month, active
 * accounts without usage are included.
 */
function usageByMonth(
  accounts: readonly ListedAccount[],
  usages: readonly Usage[],
  freeCredits: number,
) {
  const currentMonth = monthOf(systemClock.now());
  const unused = accounts
    .filter(
      ({ id, revokedAt }) =>
        revokedAt === null &&
        !usages.some(({ accountId, month }) => accountId === id && month === currentMonth),
    )
    .map(({ id }): Usage => ({ accountId: id, month: currentMonth, used: 0 }));

  return [...unused, ...usages]
    .toSorted((a, b) => b.month.localeCompare(a.month))
    .map(({ accountId, month, used }) => {
      const account = accounts.find(({ id }) => id === accountId);
      const limit = account?.credits ?? freeCredits;
      return { month, id: accountId, name: account?.name ?? '', used, limit };
    });
}

function formatUsage(rows: ReturnType<typeof usageByMonth>): string {
  return formatTable(
    ['MONTH', 'ID', 'NAME', 'USED', 'LIMIT'],
    rows.map(({ month, id, name, used, limit }) => [month, id, name, String(used), String(limit)]),
  );
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns a time in UTC, such as `2026-11-23 08:45Z`. */
function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
