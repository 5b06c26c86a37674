/** A command of the operator that cannot be carried out: the message says why, the code is what the process ends with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
