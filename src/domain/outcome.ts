import { problems, type Problem } from './problems.ts';

/**
 * The result of a lookup: data, or why there is none. Absence is data (null), and no failure. Times
 * are in epoch ms.
 */
export interface Outcome<T> {
  /** Undefined if it could not be looked up. */
  readonly data: T | undefined;
  /** Why there is no data, or why the data is incomplete; else undefined. */
  readonly problem: Problem | undefined;
  /** Whether the answer is from the cache. */
  readonly cached: boolean;
  /** Older than requested, because the current lookup failed. */
  readonly stale: boolean;
  /** Undefined if nothing was contacted. */
  readonly checkedAt: number | undefined;
  /** Until when HTTP caches may retain it; undefined if it is not cached. */
  readonly freshUntil: number | undefined;
  /** Including the time in queues. */
  readonly latencyMs: number;
}

/** What determines for how long an outcome may be cached. */
export interface OutcomeAge extends Omit<Outcome<unknown>, 'problem' | 'latencyMs'> {
  readonly problem: Pick<Problem, 'code'> | undefined;
}

/**
 * Returns whether the next lookup may return something else: this one has no data, and not because
 * of the request itself.
 */
export function mayChange({ data, problem }: OutcomeAge): boolean {
  return data === undefined && (!problem || problems[problem.code].status !== 400);
}

/** Returns the outcome of what is not looked up, or not yet. */
export function refusedOutcome(problem: Problem | undefined): Outcome<never> {
  return {
    data: undefined,
    problem,
    cached: false,
    stale: false,
    checkedAt: undefined,
    freshUntil: undefined,
    latencyMs: 0,
  };
}

/** Returns an outcome with other data, which is derived from its own. */
export function mapOutcome<T, R>(outcome: Outcome<T>, derive: (data: T) => R): Outcome<R> {
  return { ...outcome, data: outcome.data === undefined ? undefined : derive(outcome.data) };
}

/** Returns a duration of an outcome, to 0.01 ms. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
