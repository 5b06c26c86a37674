/**
 * Ends the process quietly if the reader of its output closes the pipe, as `head` does. Commands
 * that run on must not use it.
 */
export function endOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
