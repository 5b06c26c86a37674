import {
  sourceKindOf,
  type Answer,
  type CachedAnswer,
  type LookupQuery,
} from '../../domain/source.ts';
import { isFresh } from './freshness.ts';
import type { IsUsable, StoredAnswer } from './store.ts';

/**
 * Returns whether an answer lacks the detail of a query because the caller joined the lookup of a
 * verdict, which ended before RDAP was queried.
 */
export function lacksDetail(
  { result: { verdict }, provenance: { endpoint, checkedAt, evidence } }: Answer,
  { name, detail }: LookupQuery,
  isUsable: IsUsable,
): boolean {
  if (verdict === 'UNKNOWN' || endpoint === undefined || checkedAt === undefined) return false;
  const hasQueriedRdap = evidence?.sources?.some(({ source }) => source === 'rdap') === true;
  // Whether a registry confirms the answer depends on the lookup, which has the same `confirm`.
  const query = { detail, confirm: 'AVAILABLE' } as const;
  return !hasQueriedRdap && !isUsable({ name, verdict, endpoint, checkedAt }, query);
}

/**
 * Returns whether a stale answer is preferred to a new one: the lookup failed, or returned the same
 * verdict without the registration. If all sources answered, the lookup did not fail.
 */
export function isWorse({ result }: Answer, stale: Answer, { detail }: LookupQuery): boolean {
  if (result.problem)
    return result.problem.code !== 'not_delegated' && result.problem.code !== 'contradicted';
  const isReduced = !result.registration && stale.result.registration !== undefined;
  return detail !== 'verdict' && result.verdict === stale.result.verdict && isReduced;
}

/**
 * Returns whether an answer of the DNS would replace one of the registry that is fresh and agrees, or
 * that shows what the DNS does not: that the name is not simply registered, or registered without an
 * expiry. A later "not found" of the registry is compared with it.
 */
export function replacesRecord(
  { verdict, endpoint }: StoredAnswer,
  cached: CachedAnswer | undefined,
  now: number,
): boolean {
  if (!cached || sourceKindOf(endpoint) !== 'dns' || sourceKindOf(cached.endpoint) === 'dns')
    return false;
  if (cached.verdict === 'AVAILABLE') return false;
  return (
    cached.verdict !== verdict || cached.expiresAt === undefined || isFresh(cached, undefined, now)
  );
}

/** Returns the expiry in the stored answer if a delegation replaces it, which does not show any. */
export function knownExpiry(
  endpoint: string,
  cached: CachedAnswer | undefined,
): number | undefined {
  return sourceKindOf(endpoint) === 'dns' && cached?.verdict === 'REGISTERED'
    ? cached.expiresAt
    : undefined;
}
