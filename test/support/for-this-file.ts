import { afterAll } from 'vitest';

/**
 * Starts what all tests of a file use, at its top level. It is disposed of after them; what was
 * started last goes first.
 */
export async function forThisFile<Options extends readonly unknown[], Part extends AsyncDisposable>(
  start: (...options: Options) => Part | Promise<Part>,
  ...options: Options
): Promise<Part> {
  const part = await start(...options);
  afterAll(() => part[Symbol.asyncDispose]());
  return part;
}
