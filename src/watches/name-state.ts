import { standingOf } from './compare-facts.ts';
import { adopted, Comparison, type Look } from './comparison.ts';
import type { Difference, NameState, Observation } from './observation.ts';
import { dayMs, hourMs, intervalsOf, shortestMs, type Pace } from './schedule.ts';

const maxLostMs = 3 * dayMs;
const minLostMs = hourMs;

/** Returns the state of a name before the first look. */
export function newState(now: number): NameState {
  return { facts: {}, seen: {}, candidates: {}, since: now, recordAt: now };
}

/** Returns whether only the registry can tell what a look at the parent zone means. */
export function needsRecord(state: NameState, isDelegated: boolean | undefined): boolean {
  const expected = state.isDelegated ?? true;
  const isContradicted = isDelegated === true && state.facts.verdict !== 'REGISTERED';
  return isDelegated !== undefined && (isContradicted || isDelegated !== expected);
}

/**
 * Compares what a look has shown with what is held. Returns what is held now, and the differences
 * that count: seen twice, or with a later "last changed" of the registry.
 */
export function observe(state: NameState, look: Observation, now: number, pace: Pace): Look {
  const { facts, isDelegated = state.isDelegated } = look;
  if (!facts) {
    const isAsBefore = look.isDelegated !== undefined && look.isDelegated === state.isDelegated;
    return isAsBefore
      ? { state, differences: [] }
      : withoutVerdict({ ...state, isDelegated }, look, now, pace);
  }

  const held = { ...state, isDelegated, verdictAt: now, failingSince: undefined, isLost: false };
  const compared = state.facts.verdict
    ? new Comparison(held, { ...look, facts }, state.verdictAt ?? now, now, pace).run()
    : { state: baseline(adopted(held, { ...look, facts }, now), now, pace), differences: [] };
  if (!state.isLost) return compared;

  const back: Difference = {
    type: 'VERDICT_BACK',
    notBefore: state.verdictAt ?? now,
    seenAt: now,
    before: {},
    after: standingOf(facts),
    evidence: look.evidence,
  };

  return { ...compared, differences: [back, ...compared.differences] };
}

function withoutVerdict(state: NameState, look: Observation, now: number, pace: Pace): Look {
  const { failingSince = now, verdictAt, facts } = state;
  const failing = { ...state, failingSince };
  const threeIntervals = 3 * shortestMs(intervalsOf(state, now, pace));
  const lostMs = Math.max(Math.min(threeIntervals, maxLostMs), minLostMs);
  if (state.isLost || verdictAt === undefined || now - failingSince < lostMs)
    return { state: failing, differences: [] };

  const lost: Difference = {
    type: 'WITHOUT_VERDICT',
    notBefore: verdictAt,
    seenAt: failingSince,
    before: standingOf(facts),
    after: {},
    evidence: look.evidence,
  };

  return { state: { ...failing, isLost: true }, differences: [lost] };
}

/** Returns a first state, in which an available name waits for another look. */
function baseline(state: NameState, now: number, pace: Pace): NameState {
  const { facts, candidates } = state;
  if (facts.verdict !== 'AVAILABLE') return state;
  const waitUntil = now + pace.secondLookMs;
  const standing = { facts: standingOf(facts), since: now, waitUntil };
  return { ...state, candidates: { ...candidates, standing } };
}
