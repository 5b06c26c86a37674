import { change, create, list, revoke, rotate, usage, type Command } from './commands.ts';
import { systemClock } from '../../clock.ts';
import type { Plan, PlanChange } from '../../accounts/account.ts';
import { CliError } from './cli-error.ts';

/** The syntax of a command. */
export interface CommandSpec {
  readonly summary: string;
  /** Sentences that the help adds to the summary. */
  readonly details: string;
  readonly takesAccount: boolean;
  readonly options: readonly OptionName[];
  /**
   * Set if the command may create the store; the other commands would find nothing in a new one.
   */
  readonly createsStore?: true;
  readonly toCommand: (options: CommandOptions, account: string) => Command;
}

export interface CommandOptions extends PlanOptions {
  readonly documents?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

type OptionName = keyof CommandOptions;

/** The options of all commands, with their placeholders and descriptions. */
export const optionSpecs = {
  name: ['NAME', 'Name of the account, up to 200 characters. Required.'],
  credits: ['N|free', 'Credits per month. `free`, the default, stands for FREE_CREDITS.'],
  origin: [
    'URL|any',
    'Web origin from which the key works, such as https://app.example; repeatable. `any`, the default, sets no restriction.',
  ],
  expires: [
    'DATE|DAYS|never',
    'When the key stops working: at 00:00 UTC of a date such as 2027-01-31, or after a number of days such as 30d. `never` is the default.',
  ],
  documents: [
    'FILE|any',
    'GraphQL documents to which the key is limited: an Apollo manifest, a JSON object of documents by identifier, or a .graphql file. `any`, the default, sets no limit.',
  ],
  force: ['', 'Create the account even if an active one has the same name.'],
  json: ['', 'Print JSON.'],
} as const satisfies Readonly<Record<OptionName, readonly [placeholder: string, text: string]>>;

export const commandSpecs: Readonly<Record<string, CommandSpec>> = {
  create: {
    summary: 'Create an account and print its key',
    details:
      'The key is shown only once: the store contains only its hash. With --json, the output is {"id","name","key"}.',
    takesAccount: false,
    options: ['name', 'credits', 'origin', 'expires', 'documents', 'force', 'json'],
    createsStore: true,
    toCommand: ({ json = false, force = false, documents, ...plan }) =>
      create(readPlan(plan), { documents, force, json }),
  },
  list: {
    summary: 'List all accounts',
    details:
      'LIMIT is the number of credits per month. LAST CHARGED is the time of the last request that cost credits. DOCUMENTS is the number of GraphQL documents to which the key is limited; --json lists them.',
    takesAccount: false,
    options: ['json'],
    toCommand: ({ json = false }) => list(json),
  },
  usage: {
    summary: 'Show the credits used per month and account',
    details: 'The newest month comes first.',
    takesAccount: false,
    options: ['json'],
    toCommand: ({ json = false }) => usage(json),
  },
  set: {
    summary: 'Change the credits, origins, expiry or documents of an account',
    details: 'The change takes effect within 2 seconds. Options that are absent change nothing.',
    takesAccount: true,
    options: ['credits', 'origin', 'expires', 'documents'],
    toCommand: ({ documents, ...options }, account) =>
      change(account, readPlanChange(options), documents),
  },
  rotate: {
    summary: 'Create a new key for an account',
    details:
      'The old key works for another 24 hours. With --json, the output is {"id","name","key"}.',
    takesAccount: true,
    options: ['json'],
    toCommand: ({ json = false }, account) => rotate(account, json),
  },
  revoke: {
    summary: 'Disable all keys of an account permanently',
    details: 'They stop working within 2 seconds, on every node.',
    takesAccount: true,
    options: [],
    toCommand: (_options, account) => revoke(account),
  },
};

/** The plan options of a command line. */
export interface PlanOptions {
  readonly name?: string;
  readonly credits?: string;
  readonly origin?: readonly string[];
  readonly expires?: string;
}

/** Parses the plan of a new account. Throws `CliError`. */
export function readPlan({ name, ...options }: PlanOptions): Plan {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name.trim()))
    throw new CliError(2, '--name must be 1 to 200 characters long, without control characters.');
  return { name: name.trim(), credits: null, origins: [], ...readPlanChange(options) };
}

/** Parses a change to a plan; absent options change nothing. Throws `CliError`. */
export function readPlanChange({ credits, origin, expires }: PlanOptions): PlanChange {
  return {
    ...(credits !== undefined && { credits: readCredits(credits) }),
    ...(origin && { origins: readOrigins(origin) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires, systemClock.now()) }),
  };
}

/** `free` resets to `FREE_CREDITS`. */
function readCredits(text: string): number | null {
  if (text === 'free') return null;
  if (!/^\d{1,12}$/.test(text))
    throw new CliError(2, '--credits must be an integer from 0 to 999999999999, or free.');
  return Number(text);
}

/** `any` removes the restriction on origins. */
function readOrigins(texts: readonly string[]): readonly string[] {
  return texts.join() === 'any' ? [] : [...new Set(texts.map(readOrigin))];
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new CliError(
      2,
      `--origin must be an origin such as https://app.example, or any on its own; got ${JSON.stringify(text)}.`,
    );
  }
  return url.origin;
}

/**
 * Parses an expiry: a date, a number of days from now such as `30d`, or `never` (null). Returns
 * epoch ms. Throws `CliError`.
 */
function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  const expiresAt = timeOf(text, now);
  if (expiresAt === undefined || !(expiresAt > now))
    throw new CliError(
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
