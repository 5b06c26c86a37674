import { parseArgs } from 'node:util';
import { change, create, list, revoke, rotate, usage, type Command } from './commands.ts';
import { readPlan, readPlanChange, type PlanOptions } from './plan-options.ts';
import { CliError } from './cli-error.ts';

export const usageText = `Usage:
  npm run -s keys -- create --name NAME [--credits N] [--origin URL]... [--json]
  npm run -s keys -- list
  npm run -s keys -- usage
  npm run -s keys -- set ID [--credits N|free] [--origin URL|any]...
  npm run -s keys -- rotate ID [--json]
  npm run -s keys -- revoke ID`;

/** The syntax of a command. */
interface CommandSpec {
  readonly takesId: boolean;
  readonly options: readonly string[];
  /**
   * Set if the command may create the store; the other commands would find nothing in a new one.
   */
  readonly createsStore?: true;
  readonly toCommand: (options: CommandOptions, id: string) => Command;
}

interface CommandOptions extends PlanOptions {
  readonly json?: boolean;
}

const commandSpecs: Readonly<Record<string, CommandSpec>> = {
  create: {
    takesId: false,
    options: ['name', 'credits', 'origin', 'json'],
    createsStore: true,
    toCommand: ({ json = false, ...plan }) => create(readPlan(plan), json),
  },
  list: { takesId: false, options: [], toCommand: () => list },
  usage: { takesId: false, options: [], toCommand: () => usage },
  set: {
    takesId: true,
    options: ['credits', 'origin'],
    toCommand: (options, id) => change(id, readSetOptions(options)),
  },
  rotate: {
    takesId: true,
    options: ['json'],
    toCommand: ({ json = false }, id) => rotate(id, json),
  },
  revoke: { takesId: true, options: [], toCommand: (_options, id) => revoke(id) },
};

export interface CommandLine {
  readonly command: Command;
  readonly createsStore: boolean;
}

/** Parses the arguments of `keys`. Returns undefined if help was requested. Throws `CliError`. */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const {
    values: { help, ...options },
    positionals: [name, ...rest],
  } = readArgs(args);
  if (help) return undefined;
  if (name === undefined) throw usageError('Missing command.');
  const spec = Object.hasOwn(commandSpecs, name) ? commandSpecs[name] : undefined;
  if (!spec) throw usageError(`Unknown command ${JSON.stringify(name)}.`);
  const unknown = Object.keys(options).find((option) => !spec.options.includes(option));
  if (unknown) throw usageError(`\`${name}\` does not support --${unknown}.`);
  const [id = ''] = rest;
  if (spec.takesId && !id)
    throw usageError(`\`${name}\` requires an account ID. Run \`keys list\` to see all accounts.`);
  const unexpected = rest[spec.takesId ? 1 : 0];
  if (unexpected !== undefined)
    throw usageError(`Unexpected argument ${JSON.stringify(unexpected)}.`);
  return { command: spec.toCommand(options, id), createsStore: spec.createsStore ?? false };
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
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Node's message names the invalid option.
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

function readSetOptions(options: PlanOptions) {
  const planChange = readPlanChange(options);
  if (Object.keys(planChange).length === 0)
    throw usageError('`set` requires --credits or --origin.');
  return planChange;
}

function usageError(reason: string): CliError {
  return new CliError(2, `${reason}\n${usageText}`);
}
