import { parseArgs } from 'node:util';
import { CommandError } from '../command-error.ts';
import { formatTerms } from '../command-line.ts';
import {
  commandSpecs,
  isCommandName,
  optionSpecs,
  toCommand,
  type CommandSpec,
} from './command-specs.ts';
import type { Command } from './commands.ts';
import { basename } from 'node:path';

export interface CommandLine {
  readonly command: Command;
  readonly createsStore: boolean;
}

/** Parses the arguments of `keys`. Returns a help text if one was requested. Throws `CommandError`. */
export function readCommandLine(args: readonly string[]): CommandLine | string {
  const { values, positionals } = readArgs(args);
  const { help, ...options } = values;
  const isHelp = help === true || positionals[0] === 'help';
  const [name, ...rest] = positionals[0] === 'help' ? positionals.slice(1) : positionals;
  if (name === undefined) {
    if (isHelp) return programHelp();
    throw usageError('Missing command.');
  }
  if (!isCommandName(name)) throw usageError(`Unknown command ${JSON.stringify(name)}.`);
  const spec = commandSpecs[name];
  if (isHelp) return commandHelp(name, spec);
  assertSupported(name, spec, { options, rest });
  return {
    command: toCommand[name](options, rest[0] ?? ''),
    createsStore: spec.createsStore ?? false,
  };
}

function assertSupported(
  name: string,
  spec: CommandSpec,
  { options, rest }: { readonly options: object; readonly rest: readonly string[] },
): void {
  const fail = (reason: string) => usageError(reason, commandHelp(name, spec));
  const unknown = Object.keys(options).find((option) => !spec.options.includes(option));
  if (unknown) throw fail(`\`${name}\` does not support --${unknown}.`);
  if (spec.takesAccount && !rest[0])
    throw fail(
      `\`${name}\` requires an account ID or name. Run \`keys list\` to see all accounts.`,
    );
  const unexpected = rest[spec.takesAccount ? 1 : 0];
  if (unexpected !== undefined) throw fail(`Unexpected argument ${JSON.stringify(unexpected)}.`);
  if (name === 'set' && Object.keys(options).length === 0)
    throw fail('`set` requires --credits, --origin, --expires or --documents.');
}

function readArgs(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        credits: { type: 'string' },
        origin: { type: 'string', multiple: true },
        expires: { type: 'string' },
        documents: { type: 'string' },
        force: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Node's message names the invalid option; its hint about arguments that start with a hyphen
    // does not apply.
    const message = error instanceof Error ? error.message : String(error);
    throw usageError(message.replace(/\. To specify .*$/s, '.'));
  }
}

function usageError(reason: string, help = programHelp()): CommandError {
  return new CommandError(2, `${reason}\n${help}`);
}

/** The command line of the program, as it was started. */
const program =
  basename(process.argv[1] ?? '') === 'keys.ts' ? 'npm run -s keys --' : 'rdap-gateway keys';
const accountNote =
  'ACCOUNT is the ID of an account, or its name if no other active account has it.';

/** Returns the help for the program. */
function programHelp(): string {
  const commands = Object.entries(commandSpecs).map(
    ([name, { summary }]) => [name, summary] as const,
  );
  return [
    `Usage: ${program} COMMAND [OPTIONS]`,
    'Manages the API keys in the store at STORE_URL, also while gateways use it.',
    `Commands:\n${formatTerms(commands)}`,
    `Run \`${program} COMMAND --help\` for the options of a command.`,
  ].join('\n\n');
}

/** Returns the help for a command. */
function commandHelp(name: string, spec: CommandSpec): string {
  const options = spec.options.map((option) => {
    const [placeholder, text = ''] = optionSpecs[option] ?? [];
    return [`--${option} ${placeholder}`.trim(), text] as const;
  });
  return [
    `Usage: ${program} ${name}${spec.takesAccount ? ' ACCOUNT' : ''}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    `${spec.summary}. ${spec.details}${spec.takesAccount ? ` ${accountNote}` : ''}`,
    ...(options.length > 0 ? [`Options:\n${formatTerms(options)}`] : []),
  ].join('\n\n');
}
