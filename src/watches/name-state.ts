import type { Verdict } from '../domain/verdict.ts';
import {
  typeOfField,
  type Candidate,
  type ChangeType,
  type Difference,
  type Facts,
  type Field,
  type NameState,
  type Observation,
  type RecordField,
} from './observation.ts';
import { dayMs, hourMs, intervalsOf, minuteMs, shortestMs, type Pace } from './schedule.ts';

export interface Look {
  readonly state: NameState;
  readonly differences: readonly Difference[];
}

const recordFields = Object.keys(typeOfField) as RecordField[];

/** A list must be empty for so long: registries lose data for hours. */
const emptyListMs = dayMs;
/** After so long, the facts of another server are held from then on. */
const otherSourceMs = 14 * dayMs;
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
    : { state: adopted(held, { ...look, facts }, now), differences: [] };
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

type Answered = Observation & { readonly facts: Facts & { readonly verdict: Verdict } };

/** Returns the state that holds what a look has shown, without a comparison. */
function adopted(state: NameState, { facts, source }: Answered, now: number): NameState {
  const fields = ['standing', 'updatedAt', ...recordFields] as const;
  const seen = Object.fromEntries(fields.map((field) => [field, now]));
  return { ...state, facts, source, otherSourceSince: undefined, seen, candidates: {}, since: now };
}

/** The comparison of one look with what is held. */
class Comparison {
  readonly #held: NameState;
  readonly #look: Answered;
  /** What of the look is comparable with what is held. */
  readonly #facts: Facts;
  readonly #verdictAt: number;
  readonly #now: number;
  readonly #pace: Pace;
  readonly #hasMoved: boolean;
  readonly #differences: Difference[] = [];
  readonly #candidates: Partial<Record<Field, Candidate>> = {};
  readonly #seen: Partial<Record<Field | 'updatedAt', number>>;
  #next: Facts;
  #since: number;

  constructor(held: NameState, look: Answered, verdictAt: number, now: number, pace: Pace) {
    this.#held = held;
    this.#look = look;
    this.#verdictAt = verdictAt;
    this.#now = now;
    this.#pace = pace;
    this.#facts = this.#isOtherSource() ? standingOf(withoutPhase(look.facts)) : look.facts;
    const [before, after] = [held.facts.updatedAt, this.#facts.updatedAt];
    this.#hasMoved = before !== undefined && (after ?? '') > before && !this.#isDrift('updatedAt');
    this.#seen = { ...held.seen };
    this.#next = held.facts;
    this.#since = held.since;
  }

  run(): Look {
    const { facts: held } = this.#held;
    this.#compareStanding();
    if (isRegistered(this.#next) !== isRegistered(held))
      return { state: this.#adopted(this.#look.facts), differences: this.#differences };
    // The record of a name that was deleted or registered says nothing about the one that is held.
    if (isRegistered(this.#facts) === isRegistered(held))
      for (const field of recordFields) this.#compareRecord(field);
    this.#compareUpdated();
    return { state: this.#state(), differences: this.#differences };
  }

  #compareStanding(): void {
    const seen = standingOf(this.#facts);
    if (!isSameStanding(this.#held.facts, seen))
      this.#differ('standing', seen, this.#pace.secondLookMs);
    else if (seen.phase === undefined) this.#keep('standing');
    else this.#hold('standing', seen);
  }

  #compareRecord(field: RecordField): void {
    const [held, seen] = [this.#held.facts[field], this.#facts[field]];
    if (seen === undefined) return this.#keep(field);
    const value = { [field]: seen };
    const isSilent = held === undefined || (field === 'expiresAt' && this.#isDrift(field));
    if (isSilent || isEqual(held, seen)) return this.#hold(field, value);
    const isEmpty = Array.isArray(seen) && seen.length === 0;
    this.#differ(field, value, isEmpty ? emptyListMs : this.#pace.secondLookMs);
  }

  #compareUpdated(): void {
    const { createdAt, updatedAt } = this.#facts;
    const before = this.#held.facts.updatedAt;
    if (createdAt !== undefined) this.#next = { ...this.#next, createdAt };
    if (updatedAt === undefined || updatedAt < (before ?? '')) return;
    const isAlone = this.#differences.length === 0 && Object.keys(this.#candidates).length === 0;
    const standing = standingOf(this.#held.facts);
    if (this.#hasMoved && isAlone)
      this.#report(
        'UPDATED',
        { ...standing, ...(before !== undefined && { updatedAt: before }) },
        { ...standing, updatedAt },
        { notBefore: this.#held.seen.updatedAt, seenAt: this.#now },
      );
    this.#seen.updatedAt = this.#now;
    this.#next = { ...this.#next, updatedAt };
  }

  /** Records that the held value was seen, or replaces it without a report. */
  #hold(field: Field, facts: Facts): void {
    this.#seen[field] = this.#now;
    const { phase: _phase, ...next } = this.#next;
    this.#next = { ...(field === 'standing' ? next : this.#next), ...facts };
  }

  /** The look says nothing about the field. */
  #keep(field: Field): void {
    const candidate = this.#held.candidates[field];
    if (candidate) this.#candidates[field] = candidate;
  }

  /** Reports a difference that is confirmed, or lets it wait for a second look. */
  #differ(field: Field, looked: Facts, waitMs: number): void {
    const earlier = this.#held.candidates[field];
    const isAgain =
      earlier &&
      (field === 'standing'
        ? isSameStanding(earlier.facts, looked)
        : isEqual(earlier.facts[field], looked[field]));
    const seen = isAgain ? { ...earlier.facts, ...looked } : looked;
    const since = isAgain ? earlier.since : this.#now;
    // A name is available only after a second look, whatever else has changed.
    const isMoved = this.#hasMoved && seen.verdict !== 'AVAILABLE';
    if (!isMoved && this.#now - since < waitMs) {
      this.#candidates[field] = { facts: seen, since, waitUntil: since + waitMs };
      return;
    }
    const { facts: held } = this.#held;
    const times = { notBefore: this.#held.seen[field], seenAt: since };
    this.#hold(field, seen);
    if (field !== 'standing') {
      const before = { ...standingOf(held), [field]: held[field] };
      this.#report(typeOfField[field], before, { ...standingOf(this.#next), ...seen }, times);
    } else {
      this.#since = since;
      this.#reportStanding(held, seen, times);
    }
  }

  #reportStanding(held: Facts, seen: Facts, times: Times): void {
    if (seen.verdict === 'AVAILABLE') this.#report('AVAILABLE', held, seen, times);
    else if (isRegistered(seen) && !isRegistered(held))
      this.#report('REGISTERED', standingOf(held), this.#look.facts, times);
    else this.#report('PHASE', standingOf(held), seen, times);
  }

  #report(type: ChangeType, before: Facts, after: Facts, { notBefore, seenAt }: Times): void {
    const { evidence } = this.#look;
    const earliest = Math.min(notBefore ?? this.#verdictAt, seenAt);
    this.#differences.push({ type, notBefore: earliest, seenAt, before, after, evidence });
  }

  #isOtherSource(): boolean {
    const { source } = this.#look;
    return source !== undefined && (this.#held.source ?? source) !== source;
  }

  /**
   * Returns whether a date has moved as much as time has passed, exactly or in whole days: "today", or
   * "in 30 days".
   */
  #isDrift(field: 'updatedAt' | 'expiresAt'): boolean {
    const { facts, seen } = this.#held;
    const moved = Date.parse(this.#facts[field] ?? '') - Date.parse(facts[field] ?? '');
    const passed = this.#now - (seen[field] ?? this.#now);
    if (!(moved > 0)) return false;
    const isInDays = moved % dayMs === 0 && Math.abs(moved - passed) <= dayMs;
    return isInDays || Math.abs(moved - passed) <= Math.min(passed / 10, minuteMs);
  }

  /** Returns the state that holds facts that were not compared. */
  #adopted(facts: Answered['facts']): NameState {
    return { ...adopted(this.#held, { ...this.#look, facts }, this.#now), since: this.#since };
  }

  #state(): NameState {
    const { source, otherSourceSince: before } = this.#held;
    const isOther = this.#isOtherSource();
    const otherSince = isOther ? (before ?? this.#now) : undefined;
    if (otherSince !== undefined && this.#now - otherSince >= otherSourceMs)
      return this.#adopted({ ...this.#look.facts, ...standingOf(this.#next) });
    return {
      ...this.#held,
      facts: this.#next,
      source: source ?? this.#look.source,
      otherSourceSince: this.#look.source === undefined ? before : otherSince,
      seen: this.#seen,
      candidates: this.#candidates,
      since: this.#since,
    };
  }
}

interface Times {
  readonly notBefore: number | undefined;
  readonly seenAt: number;
}

function isRegistered({ verdict }: Facts): boolean {
  return verdict !== 'AVAILABLE' && verdict !== 'RESERVED';
}

function standingOf({ verdict, phase }: Facts): Facts {
  return { ...(verdict && { verdict }), ...(phase !== undefined && { phase }) };
}

/** Returns whether verdicts are equal, and phases as far as they are known. */
function isSameStanding(a: Facts, b: Facts): boolean {
  const isPhaseKnown = a.phase !== undefined && b.phase !== undefined;
  return a.verdict === b.verdict && (!isPhaseKnown || a.phase === b.phase);
}

/** Returns facts without a phase that depends on the dates and statuses of the record. */
function withoutPhase({ phase, ...facts }: Facts): Facts {
  return facts.verdict === 'REGISTERED' || phase === undefined ? facts : { ...facts, phase };
}

/** Registrars are equal if their numbers are, and without numbers if their names are. */
function isEqual(a: Facts[keyof Facts] | Facts, b: Facts[keyof Facts] | Facts): boolean {
  const key = (value: typeof a, isNumbered: boolean) =>
    isRegistrar(value) ? ((isNumbered ? value.ianaId : value.name) ?? '').toLowerCase() : value;
  const isNumbered = [a, b].every((each) => isRegistrar(each) && each.ianaId !== undefined);
  return JSON.stringify(key(a, isNumbered)) === JSON.stringify(key(b, isNumbered));
}

function isRegistrar(value: unknown): value is NonNullable<Facts['registrar']> {
  return typeof value === 'object' && value !== null && ('name' in value || 'ianaId' in value);
}
