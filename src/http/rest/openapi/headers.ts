import type { JsonObject } from '../../../domain/registration.ts';
import headers from './headers.json' with { type: 'json' };

export type HeaderName = keyof typeof headers;

/** The response headers that clients may read, by name (`components.headers`). */
export { headers };

/** Returns references to headers, for a response. */
export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitHeaderNames = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;
export const creditHeaderNames = [
  'X-Credits-Requested',
  'X-Credits-Charged',
  'X-Credits-Refunded',
  'X-Credits-Remaining',
] as const;
export const apiHeaders = ['X-API-Version', 'X-Response-Time'] as const;
export const deprecationHeaderNames = ['Deprecation', 'Sunset', 'Link'] as const;
export const cachingHeaderNames = ['ETag', 'Age'] as const;
