import {
  accessPeriodCaution,
  cautionsOf,
  reservationOf,
  type Caution,
  type Policy,
} from '../domain/policy.ts';
import type { SplitName } from '../domain/names/domain-name.ts';
import { phaseOf, type Phase, type Verdict } from '../domain/verdict.ts';
import type { JsonObject, Registration } from '../domain/registration.ts';
import {
  isFromRdap,
  sourceKindOf,
  type Answer,
  type Attempt,
  type Evidence,
  type SourceKind,
  type SourceReport,
} from '../domain/answer.ts';
import type { Detail } from '../domain/source.ts';
import { refusedOutcome, roundedMs, type Outcome } from '../domain/outcome.ts';
import { Problem, problems } from '../domain/problems.ts';

/** The reliability of a verdict. `HEURISTIC`: read from text without a defined format. */
export type Confidence = 'AUTHORITATIVE' | 'HEURISTIC';

/**
 * The result of a name, as clients see it. `problem`: why there is no verdict, or no record although
 * one was requested (`no_rdap`); undefined also while PENDING.
 */
export interface LookupOutcome extends Outcome<Verdict> {
  readonly registration: (() => Registration) | null;
  /** The source of the registration; null without one. */
  readonly registrationSource: 'rdap' | 'whois' | null;
  /** Computed on request, because it is rarely selected. */
  readonly phase: () => Phase | null;
  /** The source of the answer; null if none was queried. */
  readonly source: SourceKind | null;
  readonly confidence: Confidence | null;
  /** What to check before the name is registered; empty unless it is available. */
  readonly cautions: readonly Caution[];
  /** Base URL of the RDAP server that answered; null if neither verdict nor record are from one. */
  readonly endpoint: string | null;
  /** Null if no registry was queried. */
  readonly evidence: LookupEvidence | null;
}

/** The registry response and the steps of a lookup. */
export interface LookupEvidence {
  readonly response: Evidence | null;
  /** Returns the RDAP object of the answer; absent without one. */
  readonly object?: () => JsonObject | undefined;
  readonly attempts: readonly Attempt[];
}

/** Returns the status of a name: its verdict, or in one word why there is none. */
export function statusOf({ data, problem }: LookupOutcome) {
  if (data) return data;
  if (!problem) return 'PENDING';
  if (problem.code === 'unsupported_tld') return 'UNSUPPORTED_TLD';
  return problem.code === 'invalid_name' ? 'INVALID' : 'UNKNOWN';
}

/** Returns `available`: null without a verdict. */
export function availableOf({ data }: LookupOutcome): boolean | null {
  return data === undefined ? null : data === 'AVAILABLE';
}

/** Returns the outcome of an answer to a query with a level of detail. */
export function outcomeOfAnswer(
  { data, problem, provenance }: Answer,
  detail: Detail,
  latencyMs: number,
  now: number,
): LookupOutcome {
  const { verdict, registration } = data ?? {};
  const { endpoint, checkedAt, freshUntil, cached, stale, evidence, attempts } = provenance;
  const source = endpoint === undefined ? null : sourceKindOf(endpoint);
  const rdapEndpoint = [endpoint, provenance.recordEndpoint].find(isFromRdap);
  const hasRecord =
    rdapEndpoint !== undefined ||
    (detail !== 'rdap' && (registration !== undefined || isAbsence(source, verdict)));
  const isRdapRecord = registration !== undefined && rdapEndpoint !== undefined;
  const lacksRecord = detail !== 'verdict' && source !== null && !hasRecord;

  // The next lookup queries RDAP again, so HTTP caches must not retain an answer without its record.
  const mayFindRecord = lacksRecord && (stale || rdapReport(evidence?.sources) !== undefined);
  return {
    data: verdict,
    problem: problem ?? (lacksRecord ? noRecord(stale, evidence?.sources) : undefined),
    registration: registration ?? null,
    registrationSource: registration ? (isRdapRecord ? 'rdap' : 'whois') : null,
    phase: () => phaseOf(verdict, registration?.() ?? null, now),
    source,
    confidence: confidenceOf(verdict, source),
    cautions: [],
    endpoint: rdapEndpoint ?? null,
    checkedAt,
    freshUntil: mayFindRecord ? undefined : freshUntil,
    cached,
    stale,
    latencyMs: roundedMs(latencyMs),
    evidence: {
      response: evidence ?? null,
      ...(isRdapRecord && { object: () => registration().raw }),
      attempts,
    },
  };
}

/** Returns whether a reply of WHOIS shows that the name has no registration. */
function isAbsence(source: SourceKind | null, verdict: Verdict | undefined): boolean {
  return source === 'whois' && (verdict === 'AVAILABLE' || verdict === 'RESERVED');
}

/**
 * Returns an outcome with what is known about the TLD at a time, in epoch ms: not every unregistered
 * name is available.
 */
export function withPolicy(
  outcome: LookupOutcome,
  name: SplitName,
  policy: Policy,
  now: number,
): LookupOutcome {
  if (outcome.data !== 'AVAILABLE') return outcome;
  const problem = reservationOf(name, policy);
  return problem
    ? { ...outcome, data: 'RESERVED', problem }
    : { ...outcome, cautions: [...periodCautions(outcome), ...cautionsOf(name, policy, now)] };
}

function periodCautions({ evidence }: LookupOutcome): readonly Caution[] {
  return evidence?.response?.isInAccessPeriod ? [accessPeriodCaution] : [];
}

/**
 * Returns the confidence of a verdict; null if there is none. Of the texts of WHOIS servers, only
 * those about registered names are certain to contain the name.
 */
function confidenceOf(verdict: Verdict | undefined, source: SourceKind | null): Confidence | null {
  if (!verdict) return null;
  return source === 'whois' && verdict !== 'REGISTERED' ? 'HEURISTIC' : 'AUTHORITATIVE';
}

/** Returns the outcome of a name whose lookup exceeds the time budget. */
export function pendingOutcome(latencyMs: number): LookupOutcome {
  return { ...refusedOutcome(undefined), ...nothingFound, latencyMs: roundedMs(latencyMs) };
}

/** Returns the outcome of a name without a registry: `invalid_name` or `unsupported_tld`. */
export function unresolvedOutcome(problem: Problem): LookupOutcome {
  return { ...refusedOutcome(problem), ...nothingFound };
}

const nothingFound = {
  registration: null,
  registrationSource: null,
  phase: () => null,
  source: null,
  confidence: null,
  cautions: [],
  endpoint: null,
  evidence: null,
};

/** Returns why a name with a verdict has no record. */
function noRecord(stale: boolean, sources?: readonly SourceReport[]): Problem {
  // The evidence of a stale answer does not contain the lookup that failed.
  const why = stale
    ? 'the current lookup failed. Try again later.'
    : whyNoRecord(rdapReport(sources)?.answer);
  return new Problem('no_rdap', `The verdict is known, but there is no record: ${why}`);
}

function whyNoRecord(rdapAnswer: string | undefined): string {
  if (rdapAnswer === undefined) return 'no RDAP server is known for this TLD.';
  return Object.hasOwn(problems, rdapAnswer)
    ? `RDAP failed (${rdapAnswer}). Try again later.`
    : 'RDAP has none of this name.';
}

function rdapReport(sources: readonly SourceReport[] = []): SourceReport | undefined {
  return sources.find(({ source }) => source === 'rdap');
}
