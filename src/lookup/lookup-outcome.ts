import { phaseOf, type Phase } from '../domain/life-cycle-phase.ts';
import type { Registration } from '../domain/registration.ts';
import type { Answer, Attempt, Evidence } from '../domain/source.ts';
import { isAvailable, type Verdict } from '../domain/verdict.ts';
import type { Problem } from '../domain/problems.ts';

export type DomainStatus = Verdict | 'UNSUPPORTED_TLD' | 'INVALID' | 'PENDING';

/** What came of a name. */
export interface LookupOutcome {
  readonly status: DomainStatus;
  readonly available: boolean | null;
  /** Why `available` is null; null also where it is not known yet. */
  readonly problem: Problem | null;
  readonly registration: (() => Registration) | null;
  /** Few want to know. */
  readonly phase: () => Phase | null;
  /** Base URL of the registry that was asked; null when nobody was. */
  readonly endpoint: string | null;
  readonly checkedAt: number | null;
  /** When the answer stops being fresh by default; null when it is not kept. */
  readonly freshUntil: number | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly latencyMs: number;
  /** What the verdict rests on, and the way to it; null when nobody was asked. */
  readonly evidence: {
    readonly response: Evidence | null;
    readonly attempts: readonly Attempt[];
  } | null;
}

/** What an answer says to a client. */
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

/** The outcome of a name whose time was over before it was known. */
export function pendingOutcome(latencyMs: number): LookupOutcome {
  return { ...emptyOutcome, status: 'PENDING', latencyMs: rounded(latencyMs) };
}

/** The outcome of a name that nobody could be asked about: `invalid_name` or `unsupported_tld`. */
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
