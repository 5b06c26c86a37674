import { isFromRdap, sourceKindOf, type Answer, type StoredAnswer } from '../../domain/answer.ts';
import type { Query } from '../../domain/source.ts';
import { isFresh } from './freshness.ts';
import type { StoredForm } from './store.ts';

/**
 * Returns whether a stale answer is preferred to a new one: the lookup failed, or returned the same
 * verdict with less of the registration. If all sources answered, the lookup did not fail.
 */
export function isWorse<T>(
  { data, problem, provenance: { endpoint } }: Answer<T>,
  stale: StoredAnswer,
  { detail }: Query,
  form: StoredForm<T>,
): boolean {
  if (data === undefined)
    return problem?.code !== 'not_delegated' && problem?.code !== 'contradicted';
  const { verdict, registration } = form.toStored(data);
  // The record of another source has fewer members than that of RDAP.
  const isReduced =
    stale.registration !== undefined &&
    (!registration || (isFromRdap(stale.endpoint) && !isFromRdap(endpoint)));
  return detail !== 'verdict' && verdict === stale.verdict && isReduced;
}

/**
 * Returns whether an answer of the DNS would replace one of the registry that is fresh and agrees, or
 * that shows what the DNS does not: that the name is not simply registered, or registered without an
 * expiry. A later "not found" of the registry is compared with it.
 */
export function replacesRecord(
  { verdict, endpoint }: StoredAnswer,
  cached: StoredAnswer | undefined,
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
  cached: StoredAnswer | undefined,
): number | undefined {
  return sourceKindOf(endpoint) === 'dns' && cached?.verdict === 'REGISTERED'
    ? cached.expiresAt
    : undefined;
}
