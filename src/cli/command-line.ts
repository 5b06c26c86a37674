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

/** The options of a command, as typed. */
export interface CommandOptions {
  readonly tlds?: readonly string[];
  readonly 'max-age'?: string;
  readonly confirm?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly 'check-config'?: boolean;
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
  const { minArguments: min, maxArguments: max = Infinity, usage } = specOf(command);
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

const program = 'rdap-gateway';

/** Returns the help for the program. */
function programHelp(): string {
  const commands = commandNames.map((name) => [name, specOf(name).summary] as const);
  return [
    `Usage: ${program} COMMAND [OPTIONS]`,
    'Checks whether domain names are available and who holds them.',
    `Commands:\n${formatTerms(commands)}`,
    `Options:\n${formatTerms([
      ['-h, --help', 'Show the help for the program, or for a command'],
      ['-v, --version', 'Show the version'],
    ])}`,
    examplesOf(commandNames.flatMap((name) => specOf(name).examples.slice(0, 1))),
    `Run \`${program} COMMAND --help\` for the options of a command.`,
  ].join('\n\n');
}

/** Returns the help for a command. */
function commandHelp(name: CommandName): string {
  const { summary, usage, details, options, examples } = specOf(name);
  const terms = options.map((option) => {
    const { placeholder = '', text } = optionOf(option);
    return [`--${option} ${placeholder}`.trimEnd(), text] as const;
  });
  return [
    `Usage: ${program} ${name} ${usage}`.trimEnd(),
    `${summary}. ${details}`.trimEnd(),
    ...(terms.length > 0 ? [`Options:\n${formatTerms(terms)}`] : []),
    examplesOf(examples),
  ].join('\n\n');
}

function examplesOf(examples: readonly (readonly [line: string, purpose: string])[]): string {
  const lines = examples.map(([line, purpose]) => `  # ${purpose}\n  ${program} ${line}`);
  return `Examples:\n${lines.join('\n')}`;
}

/** Returns terms with their texts, one per line, aligned. */
export function formatTerms(terms: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...terms.map(([term]) => term.length));
  return terms.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join('\n');
}
