import { inspect } from 'node:util';
import { readCommandLine, type CommandLine } from '../command-line.ts';
import { keysProgram, toCommand, type CommandName } from './command-specs.ts';
import type { Command } from './commands.ts';
import { CommandError } from '../command-error.ts';
import { InvalidPlanError } from '../../accounts/plan-text.ts';
import { printLine, type Surroundings } from '../surroundings.ts';
import { LedgerUnavailableError, LedgerOpenError } from '../../accounts/store.ts';
import { systemClock } from '../../clock.ts';
import { ConfigError, loadEnvFile, readConfig, type Config } from '../../config.ts';
import { isMissing, openAccounts, openWatches } from '../../storage/open.ts';

/** Runs `keys`, and prints its output or the reason of its failure. Resolves to the exit code. */
export async function runKeys(
  args: readonly string[],
  { environment, streams }: Surroundings,
): Promise<number> {
  try {
    printLine(streams.stdout, await outputOf(readCommandLine(keysProgram, args), environment));
    return 0;
  } catch (error) {
    printLine(streams.stderr, messageOf(error));
    return exitCodeOf(error);
  }
}

async function outputOf(
  commandLine: CommandLine<CommandName> | string,
  environment: Surroundings['environment'],
): Promise<string> {
  if (typeof commandLine === 'string') return commandLine;
  const { command, args, options } = commandLine;
  const run = toCommand[command](options, args[0] ?? '');
  loadEnvFile();
  return runCommand(run, command === 'create', readConfig(environment));
}

async function runCommand(
  command: Command,
  createsStore: boolean,
  { STORE_URL, FREE_CREDITS }: Config,
): Promise<string> {
  if (STORE_URL === 'memory:') {
    throw new CommandError(
      2,
      'STORE_URL is memory:, which is lost when the process exits. Set it to a persistent store, such as sqlite:./data/gateway.db or postgres://….',
    );
  }
  if (!createsStore && isMissing(STORE_URL)) {
    throw new CommandError(
      2,
      `STORE_URL is ${STORE_URL}, but the file does not exist. Start the gateway or run \`keys create\` to create it.`,
    );
  }

  const store = await openAccounts(STORE_URL, { clock: systemClock, freeCredits: FREE_CREDITS });
  try {
    return await command(store, FREE_CREDITS, () => openWatches(STORE_URL));
  } finally {
    await store.close();
  }
}

/** Returns the message of an expected error, or any other error with its stack trace. */
function messageOf(error: unknown): string {
  // The database may have run the statement before the connection broke.
  if (error instanceof LedgerUnavailableError)
    return `The store did not confirm the change: ${String(error.cause)}. Run \`keys list\` to see whether it was made; if not, try again.`;
  if (error instanceof InvalidPlanError) return `--${error.field} ${error.message}`;
  return error instanceof CommandError ||
    error instanceof ConfigError ||
    error instanceof LedgerOpenError
    ? error.message
    : inspect(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  const isUsage = [InvalidPlanError, ConfigError, LedgerOpenError].some(
    (kind) => error instanceof kind,
  );
  return isUsage ? 2 : 1;
}
