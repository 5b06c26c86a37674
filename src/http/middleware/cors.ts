/** Allowed in any case: a browser remembers what a preflight allows, and then sends these without another one. */
const defaultAllowedHeaders = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Accept',
  'Service-Naming',
  'If-None-Match',
  'Idempotency-Key',
];
const maxRequestedHeadersChars = 2048;

// One by one: a wildcard would not be read by older browsers, nor cover a name that must not be guessed.
const exposedHeaders = [
  'WWW-Authenticate',
  'X-API-Version',
  'X-Response-Time',
  'X-Data-Freshness',
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
const embeddingHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Returns the headers that tell browsers which pages may use a response, without credentials. Other origins get no CORS headers. */
export function originHeaders(
  origin: string | undefined,
  allowed: readonly string[],
): Record<string, string> {
  // Without `Timing-Allow-Origin`: what a lookup took would tell every page whether its name was cached.
  if (allowed.includes('*')) return { ...allowOriginHeaders('*'), ...embeddingHeaders };
  const varyHeaders = { vary: 'Origin', ...embeddingHeaders };
  if (origin === undefined || !allowed.includes(origin)) return varyHeaders;
  return { ...allowOriginHeaders(origin), 'timing-allow-origin': origin, ...varyHeaders };
}

/**
 * Returns the headers of a response to a preflight. A page may send every header that it requests: clients add headers of their own, and a page
 * can do no more with them than any program, as there are no cookies.
 */
export function preflightHeaders(
  methods: string,
  requested: string | undefined,
): Record<string, string> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowedHeaders(requested),
    'access-control-max-age': '7200',
    vary: 'Access-Control-Request-Headers',
  };
}

/** Returns the usual names and those in `Access-Control-Request-Headers`, without what is not a header name (RFC 9110 section 5.6.2). */
function allowedHeaders(requested = ''): string {
  const names =
    requested.length > maxRequestedHeadersChars
      ? []
      : requested.split(',').map((name) => name.trim());
  const others = names.filter(
    (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !isAllowedByDefault(name),
  );
  return [...defaultAllowedHeaders, ...others].join(', ');
}

function isAllowedByDefault(name: string): boolean {
  return defaultAllowedHeaders.some((header) => header.toLowerCase() === name.toLowerCase());
}

function allowOriginHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders };
}
