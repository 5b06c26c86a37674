import { Problem } from '../../src/domain/problems.ts';

/** The problem that is thrown. Throws when there is none, or something else. */
export function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
