import { problems, type ProblemCode } from '../../domain/problems.ts';

/** Problem codes that have another name in client libraries of the public API. */
const publicCodes: Partial<Record<ProblemCode, string>> = {
  invalid_name: 'INVALID_DOMAIN',
  unsupported_tld: 'UNSUPPORTED_TLD',
  missing_api_key: 'AUTH_REQUIRED',
  invalid_api_key: 'UNAUTHORIZED',
};

/** Returns `error.code`, which client libraries of the public API read. */
export function errorCodeOf(code: ProblemCode): string {
  return publicCodes[code] ?? (problems[code].status === 400 ? 'BAD_REQUEST' : code.toUpperCase());
}

/** Values of `error.type`, by which client libraries of the public API choose an error class. */
export const errorTypes = {
  validation_error: 'A name or a parameter is not valid (400).',
  authentication_error: 'The key is missing or not valid (401).',
  credits_error: 'Not enough credits are left (402).',
  permission_error: 'The key may not be used from this origin, or for this operation (403).',
  not_found_error: 'The path does not exist (404).',
  conflict_error: 'The request conflicts with an earlier one (409).',
  request_error: 'The request cannot be served in this form (other 4xx).',
  rate_limit_error: 'Too many requests (429).',
  timeout_error: 'The request, a registry or a site timed out (408, 504).',
  upstream_error: 'A registry, a site or the certificate search failed or is busy (502, 503).',
  api_error: 'The gateway failed, is overloaded, or does not offer the lookup (500, 501, 503).',
} as const;

type ErrorType = keyof typeof errorTypes;

const typesByStatus: Readonly<Record<number, ErrorType>> = {
  400: 'validation_error',
  401: 'authentication_error',
  402: 'credits_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  429: 'rate_limit_error',
  502: 'upstream_error',
  504: 'timeout_error',
};

/** Returns `error.type`. */
export function errorTypeOf(code: ProblemCode): ErrorType {
  // All other codes with status 503 are failures of the gateway itself.
  if (code === 'registry_busy' || code === 'ct_unavailable') return 'upstream_error';
  const { status } = problems[code];
  return typesByStatus[status] ?? (status >= 500 ? 'api_error' : 'request_error');
}
