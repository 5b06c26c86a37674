import { exitCodes } from './command-error.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { confirmNames } from '../domain/source.ts';
import { tldSets } from '../domain/names/tld-sets.ts';
import type { Program } from './command-line.ts';
import commands from './commands.json' with { type: 'json' };
import options from './options.json' with { type: 'json' };

type OptionTable = typeof options;

/** The options of a command, as typed. */
export type CommandOptions = {
  readonly [Name in keyof OptionTable]?: OptionTable[Name] extends { placeholder: string }
    ? OptionTable[Name] extends { repeats: boolean }
      ? readonly string[]
      : string
    : boolean;
};

export type CommandName = keyof typeof commands;

export const mainProgram: Program<CommandName> = {
  name: 'rdap-gateway',
  summary: 'Checks whether domain names are available and who holds them.',
  commands,
  options: {
    ...options,
    tlds: {
      ...options.tlds,
      choices: [...Object.keys(tldSets), 'all'].map((name) => `@${name}`),
    },
    confirm: { ...options.confirm, choices: confirmNames },
  },
  version: packageJson.version,
  exitCode: exitCodes.usage,
};
