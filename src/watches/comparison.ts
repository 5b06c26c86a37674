import { baselineOf, isConfirmed, type Answered } from './baseline.ts';
import {
  isDrift,
  isEmpty,
  isEqual,
  isPhaseOfDate,
  isRegistered,
  isSame,
  isSameStanding,
  standingOf,
} from './compare-facts.ts';
import { stateOfServer } from './state-of-server.ts';
import {
  recordFields,
  typeOfField,
  type Candidate,
  type ChangeType,
  type Difference,
  type Facts,
  type Field,
  type NameState,
  type RecordField,
  type Report,
} from './observation.ts';
import { dayMs, type Pace } from './schedule.ts';

/** The next state of a name, and the differences that are reported. */
export interface Compared {
  readonly state: NameState;
  readonly differences: readonly Difference[];
}

/** A list must be empty for so long: registries lose data for hours. */
const emptyListMs = dayMs;
/** A list that was never seen filled is looked at less often, so it must be empty for longer. */
const firstListMs = 28 * dayMs;

/** Returns whether a difference was made at the registry, and is not a phase that comes with time. */
function isMadeAtRegistry({ type, before, after }: Difference): boolean {
  return type !== 'PHASE' || !isPhaseOfDate(before) || !isPhaseOfDate(after);
}

/**
 * Compares an observation of a name with its previous state. The servers of a registry lag behind each
 * other, and lose data for hours, so each field goes one of these ways:
 *
 * | In the observation, the field | Then |
 * | --- | --- |
 * | is absent | the previous value stays, and what waits for confirmation waits on |
 * | has the previous value, or is no change | it is accepted without a report |
 * | differs | it waits until another observation shows the same |
 * | differs, and "last changed" is later | it is reported, unless the name is available or a list empty |
 */
export class Comparison {
  readonly #previous: NameState;
  readonly #observation: Answered;
  /** What of the observation is comparable with the previous state. */
  readonly #facts: Facts;
  readonly #verdictAt: number;
  readonly #now: number;
  readonly #pace: Pace;
  /** Whether the registry's "last changed" is later than before. */
  readonly #isChangedLater: boolean;
  /** Whether the record is from the server that sent the previous one. */
  readonly #isSameServer: boolean;
  readonly #differences: Difference[] = [];
  readonly #candidates: Partial<Record<Field, Candidate>> = {};
  readonly #seen: Partial<Record<Field | 'updatedAt', number>>;
  readonly #reported: Partial<Record<Field, Report>>;
  #next: Facts;
  #since: number;

  constructor(state: NameState, observation: Answered, verdictAt: number, now: number, pace: Pace) {
    const { facts: observed, source } = observation;
    const ofServer = stateOfServer(state, observed, source, now);
    this.#previous = ofServer ?? state;
    this.#facts = ofServer ? observed : { verdict: observed.verdict };
    this.#observation = observation;
    this.#isSameServer = source !== undefined && source === state.source;
    this.#verdictAt = verdictAt;
    this.#now = now;
    this.#pace = pace;

    const { facts, seen, reported, since } = this.#previous;
    const isLater =
      facts.updatedAt !== undefined && (this.#facts.updatedAt ?? '') > facts.updatedAt;
    this.#isChangedLater = isLater && !this.#isDrift('updatedAt');
    this.#seen = { ...seen };
    this.#reported = { ...reported };
    this.#next = facts;
    this.#since = since;
  }

  run(): Compared {
    const { facts: previous } = this.#previous;
    const { createdAt } = this.#observation.facts;
    // A name that was registered before the first observation was not available at that time.
    const isOlder = createdAt !== undefined && Date.parse(createdAt) < this.#verdictAt - dayMs;
    if (isOlder && this.#isUnconfirmed('standing') && isRegistered(this.#facts))
      return { state: baselineOf(this.#previous, this.#observation, this.#now), differences: [] };

    this.#compareStanding();
    if (isRegistered(this.#next) !== isRegistered(previous)) {
      // A record of the first observation that the second one lacks is of the same registration.
      const facts = { ...this.#differences[0]?.after, ...this.#observation.facts };
      const state = baselineOf(this.#previous, { ...this.#observation, facts }, this.#now);
      return { state: { ...state, since: this.#since }, differences: this.#differences };
    }

    // While the registration of a name is in doubt, the record is about another one.
    if (isRegistered(this.#facts) === isRegistered(previous))
      for (const field of recordFields) this.#compareField(field);
    this.#compareUpdated();

    return { state: this.#state(), differences: this.#differences };
  }

  #compareStanding(): void {
    const { facts: previous } = this.#previous;
    const isNew = isRegistered(this.#facts) && !isRegistered(previous);
    const observed = isNew ? this.#facts : standingOf(this.#facts);
    const isDated = this.#facts.expiresAt !== undefined;

    // Without its date, a name that expires looks like any other.
    const hasOneDate = isDated !== (previous.expiresAt !== undefined);
    const isUnclear = hasOneDate && isPhaseOfDate(previous) && isPhaseOfDate(observed);

    if (!isUnclear && !isSameStanding(previous, observed))
      this.#reportOrWait('standing', observed, this.#pace.secondLookMs);
    else if (observed.phase === undefined || (isUnclear && !isDated)) this.#waitOn('standing');
    else this.#accept('standing', observed);
  }

  #compareField(field: RecordField): void {
    const previous = this.#previous.facts[field];
    const observed = this.#facts[field];
    if (observed === undefined) return this.#waitOn(field);

    const first = this.#previous.candidates[field]?.since ?? 0;
    const isDoubtful = this.#now - first < firstListMs && !isConfirmed(field, this.#observation);
    const isEqualNow = isEqual(previous, observed);
    if (isEqualNow && this.#isUnconfirmed(field) && isDoubtful) this.#waitOn(field);

    const isNoChange =
      previous === undefined ||
      this.#previous.seen[field] === undefined ||
      (field === 'expiresAt' && this.#isDrift(field));
    const facts = { [field]: observed };
    if (isNoChange || isEqualNow || this.#wasLost(field)) return this.#accept(field, facts);

    this.#reportOrWait(field, facts, isEmpty(observed) ? emptyListMs : this.#pace.secondLookMs);
  }

  #compareUpdated(): void {
    const { createdAt, updatedAt } = this.#facts;
    const before = this.#previous.facts.updatedAt;
    if (createdAt !== undefined) this.#next = { ...this.#next, createdAt };
    if (updatedAt === undefined || updatedAt < (before ?? '')) return;

    const isReported = this.#differences.some(isMadeAtRegistry);
    if (this.#isChangedLater && !isReported) {
      // A difference that waits for confirmation explains the date, unless it was only a loss.
      const waiting = Object.keys(this.#candidates) as Field[];
      if (waiting.some((field) => !this.#isUnconfirmed(field))) return;

      // So does a difference that was reported from an observation without a date.
      const isExplained = Date.parse(updatedAt) <= (this.#previous.reportedAt ?? 0);
      const standing = standingOf(this.#previous.facts);
      if (!isExplained)
        this.#report(
          'UPDATED',
          { ...standing, ...(before !== undefined && { updatedAt: before }) },
          { ...standing, updatedAt },
          { notBefore: this.#previous.seen.updatedAt, seenAt: this.#now },
        );
    }

    this.#seen.updatedAt = this.#now;
    this.#next = { ...this.#next, updatedAt };
  }

  /** Takes what was observed of a field into the next state. */
  #accept(field: Field, facts: Facts): void {
    this.#seen[field] = this.#now;
    const { phase: _phase, ...next } = this.#next;
    this.#next = { ...(field === 'standing' ? next : this.#next), ...facts };
  }

  /**
   * Lets a difference wait on, as the observation says nothing about its field. The registry may never
   * send the field again, so each wait is as long as all before.
   */
  #waitOn(field: Field): void {
    const candidate = this.#previous.candidates[field];
    if (!candidate) return;

    const next = 2 * this.#now - candidate.since;
    const waitUntil = candidate.waitUntil > this.#now ? candidate.waitUntil : next;
    this.#candidates[field] = { ...candidate, waitUntil };
  }

  /** Reports a difference that is confirmed, or lets it wait for a second observation. */
  #reportOrWait(field: Field, observed: Facts, waitMs: number): void {
    const { source } = this.#observation;
    const reported = this.#reported[field];
    // The servers of a registry may be hours apart: this one now has what was reported of another.
    if (reported && reported.source !== source && isSame(field, reported.facts, observed))
      return this.#accept(field, observed);

    const earlier = this.#previous.candidates[field];
    const isOfFuture = earlier && earlier.since > this.#now;
    const isSecond = earlier && !isOfFuture && isSame(field, earlier.facts, observed);
    // Another server publishes the record of the first observation in another form.
    const isFromOther = field === 'standing' && !this.#isSameServer;
    const known = isSecond && isFromOther ? standingOf(earlier.facts) : earlier?.facts;
    const seen = isSecond ? { ...known, ...observed } : observed;
    const since = isSecond ? earlier.since : this.#now;

    // A name is available, and a list empty, only after a second observation, whatever else has changed.
    const isConfirmedByDate =
      this.#isChangedLater && seen.verdict !== 'AVAILABLE' && waitMs < emptyListMs;
    if (!isConfirmedByDate && this.#now - since < waitMs) {
      // Losses of data come back: an empty list must be seen again and again.
      const soonest = this.#now + Math.max(waitMs / 3, this.#pace.secondLookMs);
      const waitUntil = Math.min(since + waitMs, soonest);
      this.#candidates[field] = { facts: seen, since, waitUntil };
      return;
    }

    const { facts: previous } = this.#previous;
    const times = { notBefore: this.#previous.seen[field], seenAt: since };
    this.#accept(field, seen);

    const standing = standingOf(previous);
    const before = field === 'standing' ? standing : { ...standing, [field]: previous[field] };
    this.#reported[field] = { at: this.#now, source, before, facts: seen };
    const after = { ...standingOf(this.#next), ...seen };
    if (field !== 'standing') return this.#report(typeOfField[field], before, after, times);

    this.#since = since;
    this.#reportStanding(previous, seen, times);
  }

  #reportStanding(previous: Facts, seen: Facts, times: Times): void {
    if (seen.verdict === 'AVAILABLE') return this.#report('AVAILABLE', previous, seen, times);
    const isNew = isRegistered(seen) && !isRegistered(previous);
    this.#report(isNew ? 'REGISTERED' : 'PHASE', standingOf(previous), seen, times);
  }

  #report(type: ChangeType, before: Facts, after: Facts, { notBefore, seenAt }: Times): void {
    const { evidence } = this.#observation;
    const earliest = Math.min(notBefore ?? this.#verdictAt, seenAt);
    this.#differences.push({ type, notBefore: earliest, seenAt, before, after, evidence });
  }

  /** Returns whether the previous value is one of a first observation that is not confirmed yet. */
  #isUnconfirmed(field: Field): boolean {
    const { candidates, facts } = this.#previous;
    const candidate = candidates[field];
    return candidate !== undefined && isSame(field, candidate.facts, facts);
  }

  /**
   * Returns whether a list was empty only because the registry had lost it: its last change is not
   * later. Without this date, a list counts that was empty once.
   */
  #wasLost(field: RecordField): boolean {
    if (!this.#isUnconfirmed(field) || this.#isChangedLater) return false;
    if (this.#previous.facts.updatedAt !== undefined) return true;
    return Date.parse(this.#facts.updatedAt ?? '') <= (this.#previous.seen[field] ?? this.#now);
  }

  #isDrift(field: 'updatedAt' | 'expiresAt'): boolean {
    const { facts, seen } = this.#previous;
    return isDrift(facts[field], this.#facts[field], this.#now - (seen[field] ?? this.#now));
  }

  /** Returns since when a part of the previous record is missing, if one is. */
  #gapSince(): number | undefined {
    const { facts, recordAt, gapSince = this.#now } = this.#previous;
    // Only the parent zone was queried, which has no record.
    if (recordAt > this.#now) return this.#previous.gapSince;
    return recordFields.some((field) => facts[field] && !this.#facts[field]) ? gapSince : undefined;
  }

  #state(): NameState {
    return {
      ...this.#previous,
      ...(this.#differences.some(isMadeAtRegistry) && { reportedAt: this.#now }),
      facts: this.#next,
      reported: this.#reported,
      seen: this.#seen,
      candidates: this.#candidates,
      since: this.#since,
      gapSince: this.#gapSince(),
    };
  }
}

type Times = { readonly notBefore: number | undefined; readonly seenAt: number };
