import { confirmNames } from '../domain/source.ts';
import { tldSets } from '../domain/tld-sets.ts';
import commands from './commands.json' with { type: 'json' };
import options from './options.json' with { type: 'json' };

/** The sets that `--tlds` accepts. */
const tldSetNames = Object.keys(tldSets).map((name) => `@${name}`);

export interface OptionSpec {
  /** The placeholder of the value; an option without one takes no value. */
  readonly placeholder?: string;
  /** Values that a shell suggests. */
  readonly choices?: readonly string[];
  readonly text: string;
}

export type OptionName = keyof typeof options;

/** Values that a shell suggests, by the option that takes one of them. */
const choices: Partial<Record<OptionName, readonly string[]>> = {
  tlds: tldSetNames,
  confirm: confirmNames,
};

/** Returns the syntax of an option. */
export function optionOf(name: OptionName): OptionSpec {
  const suggested = choices[name];
  return { ...options[name], ...(suggested && { choices: suggested }) };
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
