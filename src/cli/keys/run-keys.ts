import { basename } from 'node:path';
import { inspect } from 'node:util';
import { readCommandLine, type CommandLine, type Program } from '../command-line.ts';
import table from './commands.json' with { type: 'json' };
import { change, create, list, revoke, rotate, signing, usage, type Command } from './commands.ts';
import { CommandError } from '../command-error.ts';
import {
  InvalidPlanError,
  readPlan,
  readPlanChange,
  type PlanTexts,
} from '../../accounts/plan-text.ts';
import { printLine, type Output, type Surroundings } from '../surroundings.ts';
import { LedgerUnavailableError, LedgerOpenError } from '../../accounts/store.ts';
import { systemClock } from '../../clock.ts';
import { ConfigError, loadEnvFile, readConfig, type Config } from '../../config.ts';
import { isMissing, openAccounts, openWatches, StoreOpenError } from '../../storage/open.ts';

interface CommandOptions extends PlanTexts {
  readonly documents?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

type CommandName = keyof typeof table.commands;

export const keysProgram: Program<CommandName> = {
  name: basename(process.argv[1] ?? '') === 'keys.ts' ? 'npm run -s keys --' : 'rdap-gateway keys',
  summary: 'Manages the API keys in the store at STORE_URL, also while gateways use it.',
  ...table,
  exitCode: 2,
};

/** Returns what runs a command. Throws `CommandError` or `InvalidPlanError` if an option is not valid. */
const toCommand: Readonly<
  Record<CommandName, (options: CommandOptions, account: string) => Command>
> = {
  create: ({ json = false, force = false, documents, ...plan }) =>
    create(readPlan(plan, systemClock.now()), { documents, force, json }),
  list: ({ json = false }) => list(json),
  usage: ({ json = false }) => usage(json),
  set: ({ documents, ...options }, account) => {
    const plan = readPlanChange(options, systemClock.now());
    if (documents === undefined && Object.keys(plan).length === 0)
      throw new CommandError(
        2,
        '`set` requires --credits, --rate, --origin, --expires, --role or --documents.',
      );
    return change(account, plan, documents);
  },
  rotate: ({ json = false }, account) => rotate(account, json),
  revoke: (_options, account) => revoke(account),
  signing: (_options, action) => signing(action),
};

/** Runs `keys`, and prints its output or the reason of its failure. Resolves to the exit code. */
export async function runKeys(
  args: readonly string[],
  { environment, streams }: Surroundings,
): Promise<number> {
  try {
    const commandLine = readCommandLine(keysProgram, args);
    printLine(streams.stdout, await outputOf(commandLine, environment, streams.stderr));
    return 0;
  } catch (error) {
    printLine(streams.stderr, messageOf(error));
    return exitCodeOf(error);
  }
}

async function outputOf(
  commandLine: CommandLine<CommandName> | string,
  environment: Surroundings['environment'],
  stderr: Output,
): Promise<string> {
  if (typeof commandLine === 'string') return commandLine;
  const { command, args, options } = commandLine;
  const run = toCommand[command](options, args[0] ?? '');
  loadEnvFile();
  return runCommand(run, command === 'create', readConfig(environment), stderr);
}

async function runCommand(
  command: Command,
  createsStore: boolean,
  { STORE_URL, FREE_CREDITS }: Config,
  stderr: Output,
): Promise<string> {
  if (STORE_URL === 'memory:') {
    throw new CommandError(
      2,
      'STORE_URL is memory:, which is lost when the process exits. Set it to a persistent store, such as sqlite:./data/gateway.db or postgres://….',
    );
  }
  const isNew = isMissing(STORE_URL);
  if (!createsStore && isNew) {
    throw new CommandError(
      2,
      `STORE_URL is ${STORE_URL}, but the file does not exist. Start the gateway or run \`keys create\` to create it.`,
    );
  }

  const store = await openAccounts(STORE_URL, { clock: systemClock, freeCredits: FREE_CREDITS });
  try {
    const output = await command(store, FREE_CREDITS, () => openWatches(STORE_URL));
    if (isNew) printLine(stderr, createdStore(STORE_URL));
    return output;
  } finally {
    await store.close();
  }
}

function createdStore(storeUrl: string): string {
  return `There was no store at ${storeUrl}, so it was created. The key works only at a gateway with this STORE_URL.`;
}

/** Returns the message of an expected error, or any other error with its stack trace. */
function messageOf(error: unknown): string {
  // The database may have run the statement before the connection broke.
  if (error instanceof LedgerUnavailableError)
    return `The store did not confirm the change: ${String(error.cause)}. Run \`keys list\` to see whether it was made; if not, try again.`;
  if (error instanceof InvalidPlanError) return `--${error.field} ${error.message}`;
  return error instanceof CommandError ||
    error instanceof ConfigError ||
    error instanceof LedgerOpenError ||
    error instanceof StoreOpenError
    ? error.message
    : inspect(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  const isUsage = [InvalidPlanError, ConfigError, LedgerOpenError, StoreOpenError].some(
    (kind) => error instanceof kind,
  );
  return isUsage ? 2 : 1;
}
