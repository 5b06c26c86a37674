import { parseArgs } from 'node:util';
import type { Account, Plan } from './accounts/account.ts';
import { hashOf, makeKey, type ApiKey } from './accounts/api-key.ts';
import { accountsTable, usageTable } from './accounts/listing.ts';
import { monthOf } from './accounts/month.ts';
import { LedgerUnavailable, LedgerUnusable, type AccountStore } from './accounts/store.ts';
import { systemClock } from './clock.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { openAccounts } from './storage/open.ts';

const usage = `Usage:
  npm run -s keys -- create --name NAME [--credits N] [--origin URL]... [--json]
  npm run -s keys -- list
  npm run -s keys -- usage
  npm run -s keys -- rotate ID [--json]
  npm run -s keys -- revoke ID`;

/** A command that cannot be carried out; the code is what the process ends with. */
class Refusal extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a command prints. */
type Command = (store: AccountStore, config: Config) => Promise<string>;

try {
  const command = readCommand(process.argv.slice(2));
  console.log(await carryOut(command, readConfig(process.env)));
} catch (error) {
  process.exitCode = exitCodeOf(error);
  console.error(messageOf(error));
}

async function carryOut(command: Command, config: Config): Promise<string> {
  if (config.STORE_URL === 'memory:') {
    throw new Refusal(
      2,
      'STORE_URL is memory:, which ends with the process; keys need one that lasts, such as sqlite:./data/gateway.db or postgres://….',
    );
  }
  const store = await openAccounts(config.STORE_URL, { clock: systemClock, freeCredits: config.FREE_CREDITS });
  try {
    return await command(store, config);
  } finally {
    await store.close();
  }
}

function readCommand(args: readonly string[]): Command {
  const { values, positionals } = readArgs(args);
  const [name = '', id, ...more] = positionals;
  const { json = false, ...plan } = values;
  const planned = Object.keys(plan).length > 0;
  if (name === 'create' && id === undefined) return create(readPlan(plan), json);
  if (!planned && more.length === 0) {
    if (name === 'rotate' && id !== undefined) return rotate(id, json);
    if (name === 'revoke' && id !== undefined && !json) return revoke(id);
    if (name === 'list' && id === undefined && !json) return list;
    if (name === 'usage' && id === undefined && !json) return showUsage;
  }
  throw new Refusal(2, usage);
}

function readArgs(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        credits: { type: 'string' },
        origin: { type: 'string', multiple: true },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    // Node's own words name the option at fault.
    throw new Refusal(2, `${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

interface PlanOptions {
  readonly name?: string;
  readonly credits?: string;
  readonly origin?: readonly string[];
}

function readPlan({ name, credits, origin = [] }: PlanOptions): Plan {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name.trim()))
    throw new Refusal(2, `--name must be a name of up to 200 characters.\n${usage}`);
  if (credits !== undefined && !/^\d{1,12}$/.test(credits)) throw new Refusal(2, '--credits must be a whole number, 0 or more.');
  return { name: name.trim(), credits: credits === undefined ? null : Number(credits), origins: [...new Set(origin.map(readOrigin))] };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Refusal(2, `--origin must be an origin such as https://app.example, got ${JSON.stringify(text)}.`);
  }
  return url.origin;
}

function create(plan: Plan, json: boolean): Command {
  return async (store) => {
    const key = makeKey();
    return shown(await store.create(plan, hashOf(key)), key, json);
  };
}

function rotate(id: string, json: boolean): Command {
  return async (store) => {
    const key = makeKey();
    const account = await store.rotate(id, hashOf(key));
    if (!account) throw new Refusal(1, `No account that works has the id ${JSON.stringify(id)}; \`list\` shows them all.`);
    return shown(account, key, json, 'The old key works for 24 hours more.');
  };
}

/** The one time that a key is seen. */
function shown({ id, name }: Account, key: ApiKey, json: boolean, note = ''): string {
  if (json) return JSON.stringify({ id, name, key });
  return `id    ${id}\nname  ${name}\nkey   ${key}\n\nKeep the key now: it is not stored and cannot be shown again. ${note}`.trimEnd();
}

function revoke(id: string): Command {
  return async (store) => {
    const account = await store.revoke(id);
    if (!account) throw new Refusal(1, `There is no account with the id ${JSON.stringify(id)}; \`list\` shows them all.`);
    return `${account.name} (${account.id}): its keys stop within 2 seconds.`;
  };
}

async function list(store: AccountStore): Promise<string> {
  return accountsTable(await store.list());
}

async function showUsage(store: AccountStore, { FREE_CREDITS }: Config): Promise<string> {
  const [accounts, usages] = await Promise.all([store.list(), store.usage()]);
  return usageTable(accounts, usages, { month: monthOf(systemClock.now()), freeCredits: FREE_CREDITS });
}

/** What cannot be named is a bug: it shows itself whole. */
function messageOf(error: unknown): unknown {
  // A database may have done it, and been gone before it said so.
  if (error instanceof LedgerUnavailable)
    return `The store did not say that it is done: ${String(error.cause)}. See \`list\`, then try again.`;
  return error instanceof Refusal || error instanceof ConfigError || error instanceof LedgerUnusable ? error.message : error;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Refusal) return error.exitCode;
  return error instanceof ConfigError || error instanceof LedgerUnusable ? 2 : 1;
}
