import { parseArgs } from 'node:util';
import { CommandError, type ExitCode } from './command-error.ts';
import { similarName } from '../shared/similar-name.ts';

/** A program, or a command that has commands of its own. */
export interface Program<Name extends string = string> {
  /** As it is typed. */
  readonly name: string;
  readonly summary: string;
  readonly commands: Readonly<Record<Name, CommandSpec>>;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** The option `--version` prints it. */
  readonly version?: string;
  /** The exit code for invalid usage. */
  readonly exitCode: ExitCode;
}

export interface OptionSpec {
  /** The placeholder of the value; an option without one takes no value. */
  readonly placeholder?: string;
  /** The option may be given several times. */
  readonly repeats?: boolean;
  /** Values that a shell suggests. */
  readonly choices?: readonly string[];
  readonly text: string;
}

export interface CommandSpec {
  readonly summary: string;
  /** The arguments, as in the first line of the help. */
  readonly usage: string;
  readonly minArguments: number;
  /** Any number by default. */
  readonly maxArguments?: number;
  /** Sentences that the help adds to the summary. */
  readonly details: string;
  readonly options: readonly string[];
  /** Command lines without the name of the program, each with its purpose. */
  readonly examples?: readonly (readonly string[])[];
  /** Set if the command parses its own arguments, `--help` included. */
  readonly parsesArguments?: boolean;
}

export interface CommandLine<Name extends string = string> {
  readonly command: Name;
  readonly args: readonly string[];
  /** The options, as typed. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/**
 * Parses the arguments of a program. Returns a command, or the text to print: a help, or the
 * version. Throws `CommandError`.
 */
export function readCommandLine<Name extends string>(
  program: Program<Name>,
  args: readonly string[],
): CommandLine<Name> | string {
  const [first, ...rest] = args;
  const { version } = program;
  if (first === undefined) throw usageError(program, `Missing command.\n\n${programHelp(program)}`);
  if (version !== undefined && ['-v', '--version'].includes(first)) return version;
  if (['-h', '--help', 'help'].includes(first)) return helpFor(program, rest[0]);
  if (first.startsWith('-')) throw unknownOption(program, first, ['--help', '--version']);

  const command = commandNamed(program, first);
  return program.commands[command].parsesArguments
    ? { command, args: rest, options: {} }
    : readArguments(program, command, rest);
}

function helpFor<Name extends string>(
  program: Program<Name>,
  name: string | undefined,
): CommandLine<Name> | string {
  if (name === undefined) return programHelp(program);
  const command = commandNamed(program, name);
  return program.commands[command].parsesArguments
    ? { command, args: ['--help'], options: {} }
    : commandHelp(program, command);
}

function commandNamed<Name extends string>(program: Program<Name>, name: string): Name {
  if (Object.hasOwn(program.commands, name)) return name as Name;

  const similar = similarName(name, Object.keys(program.commands));
  const isName = similar === undefined && 'check' in program.commands && /^[\w.-]+$/.test(name);
  const cure = isName
    ? ` To look up a name, run \`${program.name} check ${name}\`.`
    : suggestion(similar);

  throw usageError(
    program,
    `Unknown command ${JSON.stringify(name)}.${cure} Run \`${program.name} --help\` to see all commands.`,
  );
}

function readArguments<Name extends string>(
  program: Program<Name>,
  command: Name,
  args: readonly string[],
): CommandLine<Name> | string {
  const { values, positionals } = parse(program, command, args);
  const { help, ...options }: CommandLine['options'] = values;
  if (help === true) return commandHelp(program, command);

  const { minArguments, maxArguments = Infinity, usage } = program.commands[command];
  if (positionals.length < minArguments && options['file'] === undefined)
    throw invalidUsage(program, `Missing ${usage.split(/[ …]/)[0]}.`, command);

  const unexpected = positionals[maxArguments];
  if (unexpected !== undefined)
    throw invalidUsage(program, `Unexpected argument ${JSON.stringify(unexpected)}.`, command);

  return { command, args: positionals, options };
}

function parse(program: Program, command: string, args: readonly string[]) {
  const names = program.commands[command]?.options ?? [];
  const types = names.map((name) => {
    const { placeholder, repeats = false } = program.options[name] ?? {};
    const type = placeholder === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: repeats }] as const;
  });
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error;

    const [, option] = /^Unknown option '(\S+)'/.exec(error.message) ?? [];
    if (option !== undefined)
      throw unknownOption(
        program,
        option,
        ['--help', ...names.map((name) => `--${name}`)],
        command,
      );

    // Node's message names the invalid option; its hints about other forms follow it.
    const [message = ''] = error.message.split('.');
    throw invalidUsage(program, `${message.replace('ambiguous', 'missing')}.`, command);
  }
}

function unknownOption(
  program: Program,
  option: string,
  options: readonly string[],
  command?: string,
): CommandError {
  const similar = suggestion(similarName(option, options));
  return invalidUsage(program, `Unknown option ${option}.${similar}`, command);
}

function invalidUsage(program: Program, reason: string, command?: string): CommandError {
  const help = [program.name, ...(command === undefined ? [] : [command]), '--help'].join(' ');
  return usageError(program, `${reason} Run \`${help}\`.`);
}

function usageError({ exitCode }: Program, message: string): CommandError {
  return new CommandError(exitCode, message);
}

function suggestion(similar: string | undefined): string {
  return similar === undefined ? '' : ` Did you mean ${similar}?`;
}

function programHelp(program: Program): string {
  const commands = Object.entries(program.commands);
  const examples = commands.flatMap(([, spec]) => spec.examples?.slice(0, 1) ?? []);

  return [
    `Usage: ${program.name} COMMAND [OPTIONS]`,
    program.summary,
    `Commands:\n${formatTerms(commands.map(([name, { summary }]) => [name, summary]))}`,
    `Options:\n${formatTerms([
      ['-h, --help', 'Show the help for the program, or for a command'],
      ...(program.version === undefined ? [] : [['-v, --version', 'Show the version'] as const]),
    ])}`,
    ...examplesOf(program, examples),
    `Run \`${program.name} COMMAND --help\` for the options of a command.`,
  ].join('\n\n');
}

function commandHelp<Name extends string>(program: Program<Name>, name: Name): string {
  const { summary, usage, details, options, examples = [] } = program.commands[name];
  const terms = options.map((option) => {
    const { placeholder = '', text = '' } = program.options[option] ?? {};
    return [`--${option} ${placeholder}`.trimEnd(), text] as const;
  });

  return [
    `Usage: ${program.name} ${name} ${usage}`.trimEnd(),
    `${summary}. ${details}`.trimEnd(),
    ...(terms.length > 0 ? [`Options:\n${formatTerms(terms)}`] : []),
    ...examplesOf(program, examples),
  ].join('\n\n');
}

function examplesOf({ name }: Program, examples: readonly (readonly string[])[]) {
  const lines = examples.map(([line, purpose]) => `  # ${purpose}\n  ${name} ${line}`);
  return lines.length > 0 ? [`Examples:\n${lines.join('\n')}`] : [];
}

/** Returns terms with their texts, one per line, aligned. */
function formatTerms(terms: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...terms.map(([term]) => term.length));
  return terms.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join('\n');
}
