/**
 * Allowed by every preflight response: browsers cache it and then send these headers without
 * another preflight.
 */
const defaultAllowedHeaders =
  'X-API-Key Authorization Content-Type Accept Service-Naming If-None-Match Idempotency-Key'.split(
    ' ',
  );
const maxRequestedHeadersChars = 2048;

// Listed individually: older browsers do not support a wildcard.
const exposedHeaders = [
  'WWW-Authenticate, X-API-Version, X-Response-Time, X-Data-Freshness, Deprecation, Sunset',
  'Link, Retry-After, ETag, Age, Server-Timing, X-Request-Id, X-Credits-Requested',
  'X-Credits-Charged, X-Credits-Refunded, X-Credits-Remaining, RateLimit, RateLimit-Policy',
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Mcp-Session-Id',
].join(', ');

// Pages of other origins can read responses through CORS only: browsers refuse to embed them as
// images or scripts (Fetch standard, section 3.8).
const embeddingHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

function allowOriginHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders };
}

const anyOriginHeaders = { ...allowOriginHeaders('*'), ...embeddingHeaders };

/**
 * Returns the headers that let pages of allowed origins read a response, without credentials. Other
 * origins get no CORS headers.
 */
export function originHeaders(
  origin: string | undefined,
  allowed: readonly string[],
): Record<string, string> {
  // No `Timing-Allow-Origin`: the duration of a lookup would reveal to every page whether its name
  // was cached.
  if (allowed.includes('*')) return anyOriginHeaders;
  const varyHeaders = { vary: 'Origin', ...embeddingHeaders };
  if (origin === undefined || !allowed.includes(origin)) return varyHeaders;
  return { ...allowOriginHeaders(origin), 'timing-allow-origin': origin, ...varyHeaders };
}

/**
 * Returns the headers of a preflight response. Every requested header is allowed: clients add
 * custom headers, and as there are no cookies, a page can do no more with them than any program.
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

/**
 * Returns the default header names and the valid ones in `Access-Control-Request-Headers` (RFC 9110
 * section 5.6.2).
 */
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
