import { mayChange, type OutcomeAge } from '../../domain/outcome.ts';
import type { ProblemCode } from '../../domain/problems.ts';

/** The members of a result that say how old it is, with the keys of REST. */
export interface AgeMembers {
  readonly cached: boolean;
  /** Absent from results that are never stale. */
  readonly stale?: boolean;
  readonly checked_at: string | null;
  readonly fresh_until: string | null;
}

/**
 * Returns the age of a result. `data`: what it has; undefined if it has none, because of the problem
 * with `code`.
 */
export function ageOf(
  { cached, stale = false, checked_at, fresh_until }: AgeMembers,
  data: unknown,
  code?: ProblemCode | null,
): OutcomeAge {
  return {
    data,
    problem: code ? { code } : undefined,
    cached,
    stale,
    checkedAt: epochMs(checked_at),
    freshUntil: epochMs(fresh_until),
  };
}

function epochMs(time: string | null): number | undefined {
  return time === null ? undefined : Date.parse(time);
}

/**
 * Returns `Cache-Control` and, if something was contacted, `Age` of a response with these outcomes
 * to a request with `maxAge`, in seconds.
 */
export function ageHeaders(
  outcomes: readonly OutcomeAge[],
  maxAge: number | undefined,
  now: number,
): Record<string, string> {
  const checkedAt = earliest(outcomes, 'checkedAt');
  const age = checkedAt === undefined ? {} : { age: String(floorSeconds(now - checkedAt)) };
  return { 'cache-control': cacheControl(outcomes, maxAge, now), ...age };
}

function cacheControl(
  outcomes: readonly OutcomeAge[],
  maxAge: number | undefined,
  now: number,
): string {
  if (maxAge === 0 || outcomes.some(mayChange)) return 'no-store';
  // What was not looked up is not cached here, so clients must not cache it alone.
  const freshUntil = earliest(outcomes, 'freshUntil') ?? now;
  return `private, max-age=${Math.min(floorSeconds(freshUntil - now), maxAge ?? Infinity)}`;
}

/** Returns the earliest time in milliseconds, or undefined if no outcome has one. */
function earliest(
  outcomes: readonly OutcomeAge[],
  field: 'checkedAt' | 'freshUntil',
): number | undefined {
  let first: number | undefined;
  for (const { [field]: time } of outcomes)
    if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}

function floorSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000));
}

/** Where the data of a response came from; `unknown` if there is none. */
type DataFreshness = 'fresh' | 'cached' | 'stale' | 'mixed' | 'unknown';

/**
 * Returns where the data came from, for the header `X-Data-Freshness`. Outcomes without data do not
 * count.
 */
export function dataFreshness(outcomes: readonly OutcomeAge[]): DataFreshness {
  const origins = new Set<DataFreshness>();
  for (const { data, cached, stale } of outcomes) {
    if (data !== undefined) origins.add(stale ? 'stale' : cached ? 'cached' : 'fresh');
  }
  const [first = 'unknown', ...others] = origins;
  return others.length > 0 ? 'mixed' : first;
}
