import type { FieldLookup } from '../../lookup/lookup-plan.ts';
import type { Outcome } from '../../lookup/lookup-result.ts';
import { ageHeaders, type AgedRow, type Tagger } from '../response/etag.ts';
import type { CachingHeaders } from './response.ts';
import type { Operation } from './operation/operation.ts';

/** A result without errors, and what it was made of. */
interface CachedResult {
  readonly text: string;
  readonly operation: Operation;
  readonly lookups: readonly FieldLookup[];
  readonly outcomes: readonly Outcome[];
  readonly payerId: string | undefined;
}

/** Returns how a client may cache a result: as the rows of the REST API, unless it holds what may change at any time. */
export function cachingHeaders(
  { text, operation, lookups, outcomes, payerId }: CachedResult,
  tagOf: Tagger,
  now: number,
): CachingHeaders {
  const ages = lookups.flatMap(({ maxAge }) => maxAge ?? []);
  const byAge = ageHeaders(
    outcomes.map(agedRow),
    ages.length > 0 ? Math.min(...ages) : undefined,
    now,
  );
  const control = byAge['cache-control'] ?? 'no-store';
  const isLasting =
    (holdsRowsAlone(operation) && !lookups.some(({ registrarRecord }) => registrarRecord)) ||
    control === 'no-store';
  return {
    ...byAge,
    'cache-control': isLasting ? control : 'private, no-cache',
    etag: tagOf({ text }, payerId),
  };
}

function agedRow({ status, checkedAt, freshUntil }: Outcome): AgedRow {
  return { status, checked_at: isoTime(checkedAt), fresh_until: isoTime(freshUntil) };
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** Returns whether an operation selects rows and nothing else: balances, and how registries are doing, change all the time. */
function holdsRowsAlone({ definition, rootFields }: Operation): boolean {
  return definition.operation === 'query' && rootFields.every(({ name }) => rowFields.has(name));
}

const rowFields = new Set(['domain', 'domains']);
