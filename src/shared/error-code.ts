/**
 * Returns the code of a system or TLS error, such as `ECONNREFUSED`, or an empty string. An error
 * for several addresses has the code of the first.
 */
export function errorCode(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first instanceof Error && 'code' in first && typeof first.code === 'string'
    ? first.code
    : '';
}
