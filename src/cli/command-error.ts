import { exitCodes, type ExitCode } from './exit-codes.ts';

/** A command cannot run. The message is printed to stderr; the process exits with the code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the error for an invalid argument or setting. */
export function usageError(message: string): CommandError {
  return new CommandError(exitCodes.usage, message);
}
