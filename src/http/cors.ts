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

// Pages of other origins read responses by CORS only: a browser does not hand them an embedded image or script (Fetch standard, section 3.8).
const embedding = { 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff' };

/** Returns the headers that tell browsers which pages may use a response, without credentials. Other origins get no CORS headers. */
export function originHeaders(origin: string | undefined, allowed: readonly string[]): Record<string, string> {
  // Without `Timing-Allow-Origin`: what a lookup took would tell every page whether its name was cached.
  if (allowed.includes('*')) return { ...granted('*'), ...embedding };
  const vary = { vary: 'Origin', ...embedding };
  if (origin === undefined || !allowed.includes(origin)) return vary;
  return { ...granted(origin), 'timing-allow-origin': origin, ...vary };
}

/** The answer to a preflight. */
export function preflightHeaders(methods: string): Record<string, string> {
  return { 'access-control-allow-methods': methods, 'access-control-allow-headers': allowedHeaders, 'access-control-max-age': '7200' };
}

function granted(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders };
}
