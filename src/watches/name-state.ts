import { standingOf } from './compare-facts.ts';
import { baselineOf } from './baseline.ts';
import { Comparison, type Compared } from './comparison.ts';
import type { Difference, NameState, Observation } from './observation.ts';
import { dayMs, hourMs, intervalsOf, shortestMs, type Pace } from './schedule.ts';

const maxLostMs = 3 * dayMs;
const minLostMs = hourMs;

/** Returns the state of a name before the first observation. */
export function newState(now: number): NameState {
  return { facts: {}, seen: {}, candidates: {}, since: now, recordAt: now };
}

/** Returns whether only the registry can tell what an observation of the parent zone means. */
export function needsRecord(state: NameState, isDelegated: boolean | undefined): boolean {
  const expected = state.isDelegated ?? true;
  const isContradicted = isDelegated === true && state.facts.verdict !== 'REGISTERED';
  return isDelegated !== undefined && (isContradicted || isDelegated !== expected);
}

/**
 * Compares an observation with the previous state. Returns the next state, and the differences that
 * count: seen twice, or with a later "last changed" of the registry.
 */
export function observe(
  state: NameState,
  observation: Observation,
  now: number,
  pace: Pace,
): Compared {
  const { facts, isDelegated = state.isDelegated } = observation;
  if (!facts) {
    const isAsBefore =
      observation.isDelegated !== undefined && observation.isDelegated === state.isDelegated;
    return isAsBefore
      ? { state, differences: [] }
      : withoutVerdict({ ...state, isDelegated }, observation, now, pace);
  }

  const answered = {
    ...state,
    isDelegated,
    verdictAt: now,
    failingSince: undefined,
    isLost: false,
  };
  const compared = state.facts.verdict
    ? new Comparison(answered, { ...observation, facts }, state.verdictAt ?? now, now, pace).run()
    : {
        state: waitingBaseline(baselineOf(answered, { ...observation, facts }, now), now, pace),
        differences: [],
      };
  if (!state.isLost) return compared;

  const back: Difference = {
    type: 'VERDICT_BACK',
    notBefore: state.verdictAt ?? now,
    seenAt: now,
    before: {},
    after: standingOf(facts),
    evidence: observation.evidence,
  };

  return { ...compared, differences: [back, ...compared.differences] };
}

function withoutVerdict(
  state: NameState,
  observation: Observation,
  now: number,
  pace: Pace,
): Compared {
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
    evidence: observation.evidence,
  };

  return { state: { ...failing, isLost: true }, differences: [lost] };
}

/** Returns a first state, in which an available name waits for another observation. */
function waitingBaseline(state: NameState, now: number, pace: Pace): NameState {
  const { facts, candidates } = state;
  if (facts.verdict !== 'AVAILABLE') return state;
  const waitUntil = now + pace.secondLookMs;
  const standing = { facts: standingOf(facts), since: now, waitUntil };
  return { ...state, candidates: { ...candidates, standing } };
}
