import { printableLines } from '../shared/printable.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { readCommandLine, type CommandLine } from './command-line.ts';
import { mainProgram, type CommandName } from './command-table.ts';
import { printLine, type Surroundings } from './surroundings.ts';

/**
 * Runs the program and prints to stdout, or the reason to stderr. Resolves to the exit code, or to
 * undefined if a command sets it itself. Rejects only because of a bug.
 */
export async function run(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number | undefined> {
  // Messages that nobody reads do not matter. Node would end with the exit code of a taken name.
  surroundings.streams.stderr.on('error', () => undefined);
  try {
    const commandLine = readCommandLine(mainProgram, args);
    if (typeof commandLine !== 'string') return await runCommand(commandLine, surroundings);
    endOnFailedOutput(surroundings);
    printLine(surroundings.streams.stdout, commandLine);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printLine(surroundings.streams.stderr, printableLines(error.message));
    return error.exitCode;
  }
}

/** Imports a command when it is used: together, they would take several times as long to start. */
async function runCommand(
  { command, args, options }: CommandLine<CommandName>,
  surroundings: Surroundings,
): Promise<number | undefined> {
  if (command === 'serve') {
    const flags = options['check-config'] ? ['--check-config'] : [];
    process.argv.splice(2, Infinity, ...flags);
    await import('../main.ts');
    return undefined;
  }

  endOnFailedOutput(surroundings);
  switch (command) {
    case 'check':
      return (await import('./commands/check.ts')).check(args, options, surroundings);
    case 'whois':
      return (await import('./commands/whois.ts')).whois(args, options, surroundings);
    case 'keys':
      return (await import('./keys/run-keys.ts')).runKeys(args, surroundings);
    case 'tlds':
      return (await import('./commands/tlds.ts')).tlds(args, options, surroundings);
    case 'watch':
      return (await import('./commands/watch.ts')).watch(args, options, surroundings);
    case 'unwatch':
      return (await import('./commands/watch.ts')).unwatch(args, options, surroundings);
    case 'changes':
      return (await import('./commands/watch.ts')).changes(options, surroundings);
    case 'verify':
      return (await import('./commands/verify.ts')).verify(args[0] ?? '', options, surroundings);
    case 'backup':
      return (await import('./commands/backup.ts')).backup(args[0] ?? '', surroundings);
    case 'mcp':
      return (await import('./commands/mcp.ts')).mcp(surroundings);
    case 'completion':
      return (await import('./commands/completion.ts')).completion(args, surroundings);
  }
}

/**
 * Ends the process if its output cannot be written: quietly if the reader closes the pipe, as `head`
 * does. The exit code is that of an unknown verdict, because the verdict may not have been printed.
 * Commands that run on must not use it.
 */
function endOnFailedOutput({ streams: { stdout, stderr } }: Surroundings): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') printLine(stderr, `The output cannot be written: ${error.message}`);
    process.exit(exitCodes.unknown);
  });
}
