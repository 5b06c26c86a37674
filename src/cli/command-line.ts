import { parseArgs } from 'node:util';
import { similarName } from './similar-name.ts';
import { usageError, type CommandError } from './command-error.ts';
import {
  commandNames,
  isCommandName,
  optionOf,
  specOf,
  type CommandName,
} from './command-table.ts';
import { commandHelp, programHelp } from './help.ts';

/** The options of a command, as typed. */
export interface CommandOptions {
  readonly tlds?: readonly string[];
  readonly 'max-age'?: string;
  readonly confirm?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly server?: string;
  readonly key?: string;
}

export interface CommandLine {
  readonly command: CommandName;
  readonly args: readonly string[];
  readonly options: CommandOptions;
}

/**
 * Parses the arguments of the program. Returns a command, or the text to print: a help, or
 * `version`. Throws `CommandError`.
 */
export function readCommandLine(args: readonly string[], version: string): CommandLine | string {
  const [first, ...rest] = args;
  if (first === undefined) throw usageError(`Missing command.\n\n${programHelp()}`);
  if (first === '-v' || first === '--version') return version;
  if (first === '-h' || first === '--help' || first === 'help') return helpFor(rest[0]);
  if (first.startsWith('-')) throw unknownOption(first, ['--help', '--version']);
  const command = commandNamed(first);
  return specOf(command).parsesArguments
    ? { command, args: rest, options: {} }
    : readArguments(command, rest);
}

function helpFor(name: string | undefined): CommandLine | string {
  if (name === undefined) return programHelp();
  const command = commandNamed(name);
  return specOf(command).parsesArguments
    ? { command, args: ['--help'], options: {} }
    : commandHelp(command);
}

function commandNamed(name: string): CommandName {
  if (isCommandName(name)) return name;
  const similar = similarName(name, commandNames);
  throw usageError(
    `Unknown command ${JSON.stringify(name)}.${suggestion(similar)} Run \`rdap-gateway --help\` to see all commands.`,
  );
}

function readArguments(command: CommandName, args: readonly string[]): CommandLine | string {
  const { help, options, positionals } = parse(command, args);
  if (help) return commandHelp(command);
  const { argumentCount, usage } = specOf(command);
  const [min, max] = argumentCount;
  if (positionals.length < min) throw invalidUsage(command, `Missing ${usage.split(/[ …]/)[0]}.`);
  const unexpected = positionals[max];
  if (unexpected !== undefined)
    throw invalidUsage(command, `Unexpected argument ${JSON.stringify(unexpected)}.`);
  return { command, args: positionals, options };
}

interface ParsedArguments {
  readonly help: boolean;
  readonly options: CommandOptions;
  readonly positionals: readonly string[];
}

function parse(command: CommandName, args: readonly string[]): ParsedArguments {
  const names = specOf(command).options;
  const types = names.map((name) => {
    const takesValue = optionOf(name).placeholder !== undefined;
    const type = takesValue ? ('string' as const) : ('boolean' as const);
    return [name, { type, multiple: name === 'tlds' }] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    });
    const { help, ...options } = values;
    return { help: help === true, options: options as CommandOptions, positionals };
  } catch (error) {
    throw parseErrorOf(error, command, ['--help', ...names.map((name) => `--${name}`)]);
  }
}

/** Returns the error for what `parseArgs` throws. */
function parseErrorOf(error: unknown, command: CommandName, options: readonly string[]): unknown {
  if (!(error instanceof TypeError) || !('code' in error)) return error;
  const [, option] = /^Unknown option '(\S+)'/.exec(error.message) ?? [];
  if (option !== undefined) return unknownOption(option, options, command);
  // Node's message names the invalid option; its hints about other forms follow it.
  const [message = ''] = error.message.split('.');
  return invalidUsage(command, `${message.replace('ambiguous', 'missing')}.`);
}

function unknownOption(
  option: string,
  options: readonly string[],
  command?: CommandName,
): CommandError {
  const similar = similarName(option, options);
  return invalidUsage(command, `Unknown option ${option}.${suggestion(similar)}`);
}

function invalidUsage(command: CommandName | undefined, reason: string): CommandError {
  const help = ['rdap-gateway', ...(command ? [command] : []), '--help'].join(' ');
  return usageError(`${reason} Run \`${help}\`.`);
}

function suggestion(similar: string | undefined): string {
  return similar === undefined ? '' : ` Did you mean ${similar}?`;
}
