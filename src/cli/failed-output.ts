import { exitCodes } from './exit-codes.ts';

/**
 * Ends the process if its output cannot be written: quietly if the reader closes the pipe, as `head`
 * does. The exit code is that of an unknown verdict, because the verdict may not have been printed.
 * Commands that run on must not use it.
 */
export function endOnFailedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') console.error(`The output cannot be written: ${error.message}`);
    process.exit(exitCodes.unknown);
  });
}
