/** A command failed. The message is printed to stderr; the process exits with the code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
