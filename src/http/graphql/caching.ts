import type { FieldLookup } from '../../lookup/lookup-plan.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';
import type { EtagFactory } from '../messages/etag.ts';
import { ageHeaders } from '../messages/freshness.ts';
import type { CachingHeaders } from './response.ts';
import type { Operation } from '../../execution/operation.ts';

/** A result without errors, and the lookups behind it. */
interface CacheableResult {
  readonly text: string;
  readonly operation: Operation;
  readonly lookups: readonly FieldLookup[];
  readonly outcomes: readonly OutcomeAge[];
  readonly payerId: string | undefined;
}

/**
 * Returns the caching headers of a result: those of its rows, unless it selects volatile values.
 */
export function cachingHeaders(
  { text, operation, lookups, outcomes, payerId }: CacheableResult,
  etagOf: EtagFactory,
  now: number,
): CachingHeaders {
  const maxAges = lookups.flatMap(({ maxAge }) => maxAge ?? []);
  const headers = ageHeaders(outcomes, maxAges.length > 0 ? Math.min(...maxAges) : undefined, now);
  const cacheControl = headers['cache-control'] ?? 'no-store';
  const isStable =
    (selectsOnlyRows(operation) && !lookups.some(({ registrarRecord }) => registrarRecord)) ||
    cacheControl === 'no-store';
  return {
    ...headers,
    'cache-control': isStable ? cacheControl : 'private, no-cache',
    etag: etagOf({ text }, payerId),
  };
}

/** Returns whether an operation selects only rows. Balances and registry health are volatile. */
function selectsOnlyRows({ definition, rootFields }: Operation): boolean {
  return definition.operation === 'query' && rootFields.every(({ name }) => rowFields.has(name));
}

const rowFields = new Set(['domain', 'domains']);
