import { phaseOf, type Phase } from '../domain/life-cycle-phase.ts';
import type { Registration } from '../domain/registration.ts';
import type { Answer, Attempt, Evidence } from '../domain/source.ts';
import { isAvailable, type Verdict } from '../domain/verdict.ts';
import type { Problem } from '../domain/problems.ts';

export type DomainStatus = Verdict | 'UNSUPPORTED_TLD' | 'INVALID' | 'PENDING';

/** The result of a name, as clients see it. */
export interface LookupOutcome {
  readonly status: DomainStatus;
  readonly available: boolean | null;
  /** Why `available` is null; null also while PENDING. */
  readonly problem: Problem | null;
  readonly registration: (() => Registration) | null;
  /** Computed on request, because it is rarely selected. */
  readonly phase: () => Phase | null;
  /** Base URL of the registry that was queried; null if none was. */
  readonly endpoint: string | null;
  readonly checkedAt: number | null;
  /** End of the default freshness; null if the answer is not cached. */
  readonly freshUntil: number | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly latencyMs: number;
  /** The registry response and the steps of the lookup; null if no registry was queried. */
  readonly evidence: {
    readonly response: Evidence | null;
    readonly attempts: readonly Attempt[];
  } | null;
}

/** Returns the outcome of an answer. */
export function outcomeOfAnswer(
  { result, provenance }: Answer,
  latencyMs: number,
  now: number,
): LookupOutcome {
  const { verdict, registration, problem } = result;
  const { endpoint, checkedAt, freshUntil, cached, stale, evidence, attempts } = provenance;
  return {
    status: verdict,
    available: isAvailable(verdict),
    problem: problem ?? null,
    registration: registration ?? null,
    phase: () => phaseOf(verdict, registration?.() ?? null, now),
    endpoint: endpoint ?? null,
    checkedAt: checkedAt ?? null,
    freshUntil: freshUntil ?? null,
    cached,
    stale,
    latencyMs: rounded(latencyMs),
    evidence: { response: evidence ?? null, attempts },
  };
}

/** Returns the outcome of a name whose lookup exceeds the time budget. */
export function pendingOutcome(latencyMs: number): LookupOutcome {
  return { ...emptyOutcome, status: 'PENDING', latencyMs: rounded(latencyMs) };
}

/** Returns the outcome of a name without a registry: `invalid_name` or `unsupported_tld`. */
export function unresolvedOutcome(problem: Problem): LookupOutcome {
  return {
    ...emptyOutcome,
    status: problem.code === 'unsupported_tld' ? 'UNSUPPORTED_TLD' : 'INVALID',
    problem,
  };
}

const emptyOutcome = {
  available: null,
  problem: null,
  registration: null,
  phase: () => null,
  endpoint: null,
  checkedAt: null,
  freshUntil: null,
  cached: false,
  stale: false,
  latencyMs: 0,
  evidence: null,
};

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
