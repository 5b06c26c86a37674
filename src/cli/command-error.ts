/** The exit codes of `check` and `whois`. */
export const exitCodes = { available: 0, taken: 1, unknown: 2, usage: 64 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface Verdict {
  readonly available: boolean | null;
  readonly status: string;
}

/**
 * Returns the exit code for the rows of a command: that of the verdict for a single name; for a
 * list, `unknown` if a name has no verdict, or else 0.
 */
export function exitCodeOf(rows: readonly Verdict[]): ExitCode {
  const [first, ...others] = rows;
  if (!first) return exitCodes.unknown;
  if (others.length === 0) return singleExitCode(first);
  return rows.some(({ available }) => available === null) ? exitCodes.unknown : 0;
}

function singleExitCode({ available, status }: Verdict): ExitCode {
  if (available === null) return status === 'invalid' ? exitCodes.usage : exitCodes.unknown;
  return available ? exitCodes.available : exitCodes.taken;
}

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
