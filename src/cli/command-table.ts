import { confirmNames } from '../domain/source.ts';
import { tldSets } from '../domain/tld-sets.ts';
import commands from './commands.json' with { type: 'json' };

/** The sets that `--tlds` accepts. */
const tldSetNames = Object.keys(tldSets).map((name) => `@${name}`);

/** The options of all commands, with their placeholders and descriptions. */
const optionSpecs = {
  tlds: {
    placeholder: 'LIST',
    choices: tldSetNames,
    text: 'Check each NAME under these TLDs: labels, suffixes or sets such as @popular, separated by commas; repeatable.',
  },
  'max-age': {
    placeholder: 'N',
    text: 'Accept a cached answer that is at most N seconds old; 0 queries the registry.',
  },
  confirm: {
    placeholder: 'NAMES',
    choices: confirmNames,
    text: 'Which verdicts the registry must confirm: all (the default), or available for a faster search, in which the DNS shows that a name is registered.',
  },
  json: { text: 'Print JSON.' },
  csv: { text: 'Print CSV, with the columns of the REST API.' },
  server: {
    placeholder: 'URL',
    text: 'Use the gateway at this address instead of querying registries from here.',
  },
  key: { placeholder: 'KEY', text: 'The API key for --server.' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface OptionSpec {
  /** The placeholder of the value; an option without one takes no value. */
  readonly placeholder?: string;
  /** Values that a shell suggests. */
  readonly choices?: readonly string[];
  readonly text: string;
}

export type OptionName = keyof typeof optionSpecs;

/** Returns the syntax of an option. */
export function optionOf(name: OptionName): OptionSpec {
  return optionSpecs[name];
}

/** The syntax of a command. */
export interface CommandSpec {
  readonly summary: string;
  /** The arguments, as in the first line of the help. */
  readonly usage: string;
  readonly minArguments: number;
  /** Any number by default. */
  readonly maxArguments?: number;
  /** Sentences that the help adds to the summary. */
  readonly details: string;
  readonly options: readonly OptionName[];
  /** Command lines without the name of the program, each with its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Set if the command parses its own arguments, `--help` included. */
  readonly parsesArguments?: true;
}

const commandSpecs: Readonly<Record<keyof typeof commands, unknown>> = commands;

export type CommandName = keyof typeof commands;

/** Returns the syntax of a command. */
export function specOf(name: CommandName): CommandSpec {
  return commandSpecs[name] as CommandSpec;
}

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commandSpecs, name);
}

export const commandNames = Object.keys(commandSpecs).filter(isCommandName);
