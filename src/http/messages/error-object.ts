import { problems, type ProblemCode } from '../../domain/problems.ts';
import table from './error-object.json' with { type: 'json' };

type ErrorType = keyof typeof table.types;

/** Values of `error.type`, by which client libraries of the public API choose an error class. */
export const errorTypes: Readonly<Record<ErrorType, string>> = table.types;

const typesByStatus = table.typesByStatus as Readonly<Partial<Record<number, ErrorType>>>;
const publicCodes: Readonly<Partial<Record<ProblemCode, string>>> = table.codes;

/** Returns `error.code`, which client libraries of the public API read; some codes have other names. */
export function errorCodeOf(code: ProblemCode): string {
  return publicCodes[code] ?? (problems[code].status === 400 ? 'BAD_REQUEST' : code.toUpperCase());
}

/** Returns `error.type`. */
export function errorTypeOf(code: ProblemCode): ErrorType {
  // All other codes with status 503 are failures of the gateway itself.
  if (code === 'registry_busy' || code === 'ct_unavailable') return 'upstream_error';
  const { status } = problems[code];
  return typesByStatus[status] ?? (status >= 500 ? 'api_error' : 'request_error');
}
