import { Problem } from '../../../src/domain/problems.ts';

/** Returns the problem that `run` throws. Throws if there is none, or another error. */
export function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
