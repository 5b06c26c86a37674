import * as v from 'valibot';
import { lookupProblemCodes } from '../domain/problems.ts';
import { CommandError } from './command-error.ts';
import { exitCodes } from './exit-codes.ts';

const problemShape = v.object({ status: v.number(), code: v.string(), detail: v.string() });

/** The body of an error of the REST API. */
export type GatewayProblem = v.InferOutput<typeof problemShape>;

export function isGatewayProblem(value: unknown): value is GatewayProblem {
  return v.is(problemShape, value);
}

/** The codes of problems that mean that a name has no verdict. */
const lookupProblems: ReadonlySet<string> = new Set(['unsupported_tld', ...lookupProblemCodes]);

/** Returns whether a problem is the result of a lookup, and not an error of the request. */
export function isLookupProblem({ code }: GatewayProblem): boolean {
  return lookupProblems.has(code);
}

/**
 * Returns the error of a command for an error of a request. A client error is invalid usage, unless
 * the same request may succeed later.
 */
export function problemError({ status, code, detail }: GatewayProblem): CommandError {
  const isUsage = status < 500 && ![402, 408, 429].includes(status);
  return new CommandError(isUsage ? exitCodes.usage : exitCodes.unknown, `${detail} (${code})`);
}
