import type { Problem } from '../domain/problems.ts';
import type { SiteAnswer } from './site-facts.ts';

/** The result of a site lookup. */
export interface SiteOutcome<T> {
  /** Null if it could not be read. A `PageVisit` is data even if the page could not be read. */
  readonly data: T | null;
  /** Why it could not be read; else null. */
  readonly problem: Problem | null;
  readonly cached: boolean;
  /** Epoch ms; null if nothing was read. */
  readonly checkedAt: number | null;
  /** Until when it is fresh, by default and by `maxAge`, in epoch ms; null without data. */
  readonly freshUntil: number | null;
  /** Including the time in queues. */
  readonly latencyMs: number;
}

/** An answer, or why nothing was read. */
type Result = SiteAnswer<unknown> | { readonly problem: Problem; readonly cached: boolean };

/**
 * Returns the outcome of a lookup. `maxAge`: the maximum age that the caller accepts, in seconds.
 */
export function outcomeOf(
  result: Result,
  maxAge: number | undefined,
  latencyMs: number,
): SiteOutcome<unknown> {
  const common = { cached: result.cached, latencyMs: Math.round(latencyMs * 100) / 100 };
  const checkedAt = 'checkedAt' in result ? result.checkedAt : null;
  if ('problem' in result)
    return { ...common, data: null, problem: result.problem, checkedAt, freshUntil: null };
  const { data, freshUntil } = result;
  return {
    ...common,
    data,
    problem: null,
    checkedAt,
    // HTTP caches must not retain the result for longer than the caller accepts.
    freshUntil: Math.min(freshUntil, result.checkedAt + (maxAge ?? Infinity) * 1000),
  };
}
