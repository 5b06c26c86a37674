import { basename } from 'node:path';
import table from './commands.json' with { type: 'json' };
import { change, create, list, revoke, rotate, signing, usage, type Command } from './commands.ts';
import { systemClock } from '../../clock.ts';
import type { Plan, PlanChange, Role } from '../../accounts/account.ts';
import { CommandError } from '../command-error.ts';
import type { Program } from '../command-line.ts';

interface CommandOptions extends PlanOptions {
  readonly documents?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export type CommandName = keyof typeof table.commands;

export const keysProgram: Program<CommandName> = {
  name: basename(process.argv[1] ?? '') === 'keys.ts' ? 'npm run -s keys --' : 'rdap-gateway keys',
  summary: 'Manages the API keys in the store at STORE_URL, also while gateways use it.',
  ...table,
  exitCode: 2,
};

/** Returns what runs a command. Throws `CommandError` if an option is not valid. */
export const toCommand: Readonly<
  Record<CommandName, (options: CommandOptions, account: string) => Command>
> = {
  create: ({ json = false, force = false, documents, ...plan }) =>
    create(readPlan(plan), { documents, force, json }),
  list: ({ json = false }) => list(json),
  usage: ({ json = false }) => usage(json),
  set: ({ documents, ...options }, account) => {
    const plan = readPlanChange(options);
    if (documents === undefined && Object.keys(plan).length === 0)
      throw new CommandError(
        2,
        '`set` requires --credits, --origin, --expires, --role or --documents.',
      );
    return change(account, plan, documents);
  },
  rotate: ({ json = false }, account) => rotate(account, json),
  revoke: (_options, account) => revoke(account),
  signing: (_options, action) => signing(action),
};

interface PlanOptions {
  readonly name?: string;
  readonly credits?: string;
  readonly origin?: readonly string[];
  readonly expires?: string;
  readonly role?: string;
}

/** Parses the plan of a new account. Throws `CommandError`. */
function readPlan({ name, ...options }: PlanOptions): Plan {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name.trim()))
    throw new CommandError(
      2,
      '--name must be 1 to 200 characters long, without control characters.',
    );
  return { name: name.trim(), credits: null, origins: [], ...readPlanChange(options) };
}

/** Parses a change to a plan; absent options change nothing. Throws `CommandError`. */
function readPlanChange({ credits, origin, expires, role }: PlanOptions): PlanChange {
  return {
    ...(credits !== undefined && { credits: readCredits(credits) }),
    ...(origin && { origins: readOrigins(origin) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires, systemClock.now()) }),
    ...(role !== undefined && { role: readRole(role) }),
  };
}

/** `free` resets to `FREE_CREDITS`. */
function readCredits(text: string): number | null {
  if (text === 'free') return null;
  if (!/^\d{1,12}$/.test(text))
    throw new CommandError(2, '--credits must be an integer from 0 to 999999999999, or free.');
  return Number(text);
}

function readRole(text: string): Role | null {
  if (text !== 'operator' && text !== 'none')
    throw new CommandError(2, `--role must be operator or none; got ${JSON.stringify(text)}.`);
  return text === 'none' ? null : text;
}

/** `any` removes the restriction on origins. */
function readOrigins(texts: readonly string[]): readonly string[] {
  return texts.join() === 'any' ? [] : [...new Set(texts.map(readOrigin))];
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new CommandError(
      2,
      `--origin must be an origin such as https://app.example, or any on its own; got ${JSON.stringify(text)}.`,
    );
  }
  return url.origin;
}

/**
 * Parses an expiry: a date, a number of days from now such as `30d`, or `never` (null). Returns
 * epoch ms. Throws `CommandError`.
 */
function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  const expiresAt = timeOf(text, now);
  if (expiresAt === undefined || !(expiresAt > now))
    throw new CommandError(
      2,
      `--expires must be a future date such as 2027-01-31 (UTC), a number of days such as 30d, or never; got ${JSON.stringify(text)}.`,
    );
  return expiresAt;
}

const dayMs = 24 * 60 * 60 * 1000;

function timeOf(text: string, now: number): number | undefined {
  if (/^\d{1,5}d$/.test(text)) return now + Number.parseInt(text, 10) * dayMs;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` accepts 2027-02-30, as 2 March.
  const isValid = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isValid ? time : undefined;
}
