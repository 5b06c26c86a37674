const allowedHeaders = 'X-API-Key, Authorization, Content-Type, Accept, Service-Naming, If-None-Match, Idempotency-Key';

// One by one: a wildcard would not be read by older browsers, nor cover a name that must not be guessed.
const exposedHeaders = [
  'Deprecation',
  'Sunset',
  'Link',
  'Retry-After',
  'ETag',
  'Age',
  'Server-Timing',
  'X-Request-Id',
  'X-Credits-Requested',
  'X-Credits-Charged',
  'X-Credits-Refunded',
  'X-Credits-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
].join(', ');

/** The CORS headers of an answer (Fetch standard), without credentials. Origins that may not call get none. */
export function corsHeaders(origin: string | undefined, allowed: readonly string[]): Record<string, string> {
  if (allowed.includes('*')) return granted('*');
  const vary = { vary: 'Origin' };
  return origin !== undefined && allowed.includes(origin) ? { ...granted(origin), ...vary } : vary;
}

/** The answer to a preflight. */
export function preflightHeaders(methods: string): Record<string, string> {
  return { 'access-control-allow-methods': methods, 'access-control-allow-headers': allowedHeaders, 'access-control-max-age': '7200' };
}

function granted(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders, 'timing-allow-origin': origin };
}
