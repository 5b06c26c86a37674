import { onTestFinished } from 'vitest';

/**
 * Starts what one test uses, in the test or its `beforeEach`. It is disposed of after the test; what
 * was started last goes first.
 */
export async function forThisTest<Options extends readonly unknown[], Part extends AsyncDisposable>(
  start: (...options: Options) => Part | Promise<Part>,
  ...options: Options
): Promise<Part> {
  const part = await start(...options);
  onTestFinished(() => part[Symbol.asyncDispose]());
  return part;
}
