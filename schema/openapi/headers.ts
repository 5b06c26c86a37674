import type { JsonObject } from '../../src/domain/registration.ts';

const textHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' },
  example,
});

/** Every header of an answer that a caller may read, by name: what stands under `components.headers`. */
export const headers = {
  'X-API-Version': textHeader('The version in the path.', '1'),
  'X-Response-Time': integerHeader('Milliseconds until the gateway sent the response.', 23),
  'X-Data-Freshness': {
    description:
      'Where the verdicts come from: `fresh` (the registry, now), `cached`, `stale`, `mixed`, or `unknown` if no row has a verdict. Not with NDJSON.',
    schema: {
      type: 'string',
      'x-extensible-enum': ['fresh', 'cached', 'stale', 'mixed', 'unknown'],
    },
    example: 'fresh',
  },
  'X-Request-Id': textHeader(
    'Ours, never the caller’s; it stands in the log.',
    '0198a3c2-5b1e-7c3f-9d2a-6f4b1c0e8d77',
  ),
  ETag: textHeader(
    'Weak, over the body without `latency_ms`, `duration_ms`, `cached` and `checked_at`; each account has its own.',
    'W/"p3Zq0yqkQb0"',
  ),
  Age: integerHeader('Seconds since the oldest row was checked.', 12),
  'Server-Timing': textHeader(
    'Milliseconds spent in the cache, in the queue and with the registry.',
    'cache;dur=0.2, queue;dur=0, registry;dur=21',
  ),
  'Cache-Control': textHeader(
    '`private, max-age=` what is left of the freshness, or `no-store`.',
    'private, max-age=288',
  ),
  'Retry-After': integerHeader('Seconds after which to try again.', 30),
  'WWW-Authenticate': textHeader('How to send a key.', 'Bearer'),
  Deprecation: textHeader(
    'The call uses a deprecated alias, since this moment (RFC 9745).',
    '@1791590400',
  ),
  Sunset: textHeader(
    'Until when, at least, the alias works (RFC 8594).',
    'Sun, 10 Oct 2027 00:00:00 GMT',
  ),
  Link: textHeader(
    'Where the alias and its replacement are explained.',
    '<https://gateway.example/docs/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"',
  ),
  'X-Credits-Requested': integerHeader(
    'The price, reserved before anything was looked up. Only with a key.',
    1,
  ),
  'X-Credits-Charged': integerHeader('The price of what got a verdict.', 1),
  'X-Credits-Refunded': integerHeader('The difference.', 0),
  'X-Credits-Remaining': integerHeader('What is left this month.', 9999),
  RateLimit: textHeader(
    'How many requests may be sent at once (`r`), and seconds until the whole quota is available again (`t`; draft-ietf-httpapi-ratelimit-headers-11).',
    '"default";r=599;t=1',
  ),
  'RateLimit-Policy': textHeader(
    'The quota: requests (`q`) and the seconds (`w`) that they are for.',
    '"default";q=600;w=60',
  ),
  'X-RateLimit-Limit': integerHeader(
    'Requests a minute. A full minute’s requests may be sent at once; the quota is refilled evenly.',
    600,
  ),
  'X-RateLimit-Remaining': integerHeader('How many requests may be sent at once.', 599),
  'X-RateLimit-Reset': integerHeader(
    'When the whole quota is available again, in seconds since the epoch.',
    1793448000,
  ),
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof headers;

/** Some of them, as an answer lists them. */
export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitHeaders = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;
export const creditHeaders = [
  'X-Credits-Requested',
  'X-Credits-Charged',
  'X-Credits-Refunded',
  'X-Credits-Remaining',
] as const;
export const apiHeaders = ['X-API-Version', 'X-Response-Time'] as const;
export const deprecationHeaders = ['Deprecation', 'Sunset', 'Link'] as const;
export const cachingHeaders = ['ETag', 'Age'] as const;
