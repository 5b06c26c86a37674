import { readPlan, readPlanChange, type PlanOptions } from './plan-options.ts';
import { change, create, list, revoke, rotate, usage, type Command } from './commands.ts';

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
