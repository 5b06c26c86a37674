import { commandSpecs as keysCommands } from './keys/command-specs.ts';
import {
  commandNames,
  optionOf,
  specOf,
  type CommandName,
  type OptionSpec,
} from './command-table.ts';

/** What a shell suggests after the name of a command. */
export interface CommandWords {
  readonly name: CommandName;
  readonly summary: string;
  readonly options: readonly (OptionSpec & { readonly name: string })[];
  /** The values of its first argument, if they are fixed. */
  readonly choices: readonly string[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;

/** The commands of the help, with the words that may follow each. */
export const commandWords: readonly CommandWords[] = commandNames.map((name) => ({
  name,
  summary: specOf(name).summary,
  options: specOf(name).options.map((option) => ({ name: option, ...optionOf(option) })),
  choices: choicesOf(name),
}));

function choicesOf(name: CommandName): readonly string[] {
  if (name === 'keys') return Object.keys(keysCommands);
  return name === 'completion' ? shells : [];
}
