import type { Outcome } from '../lookup/outcome.ts';
import { ageHeaders, type AgedRow, type Tagger } from './caching.ts';
import type { CachingHeaders } from './graphql-response.ts';
import type { GraphqlReading } from './graphql-reading.ts';

/** A result without errors, and what it was made of. */
export interface CachedResult {
  readonly text: string;
  readonly reading: GraphqlReading;
  readonly outcomes: readonly Outcome[];
  readonly payerId: string | undefined;
}

/** Returns how a client may cache a result: as the rows of the REST API, unless it holds what may change at any time. */
export function cachingHeaders({ text, reading, outcomes, payerId }: CachedResult, tagOf: Tagger, now: number): CachingHeaders {
  const ages = reading.wishes().flatMap(({ maxAge }) => maxAge ?? []);
  const byAge = ageHeaders(outcomes.map(agedRow), ages.length > 0 ? Math.min(...ages) : undefined, now);
  const control = byAge['cache-control'] ?? 'no-store';
  const isLasting = reading.isCacheable() || control === 'no-store';
  return { ...byAge, 'cache-control': isLasting ? control : 'private, no-cache', etag: tagOf({ text }, payerId) };
}

function agedRow({ status, checkedAt, freshUntil }: Outcome): AgedRow {
  return { status, checked_at: isoTime(checkedAt), fresh_until: isoTime(freshUntil) };
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
