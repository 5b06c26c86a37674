import type { ProblemCode } from '../../../domain/problems.ts';

/** The problems of all operations that require a key. */
export const callerProblems = [
  'missing_api_key',
  'invalid_api_key',
  'forbidden_operation',
  'forbidden_origin',
  'rate_limited',
  'internal',
  'overloaded',
  'unavailable',
] as const satisfies readonly ProblemCode[];

/** The problems of all operations whose parameters can be invalid. */
export const parameterProblems = [
  'missing_parameter',
  'invalid_parameter',
  'invalid_naming',
] as const satisfies readonly ProblemCode[];
