import type { Verdict } from '../domain/verdict.ts';
import {
  isEmpty,
  isEqual,
  isPhaseOfDate,
  isRegistered,
  isSame,
  isSameStanding,
  standingOf,
} from './compare-facts.ts';
import { emptyLists, heldOfServer } from './held-of-server.ts';
import {
  recordFields,
  typeOfField,
  type Candidate,
  type ChangeType,
  type Difference,
  type Facts,
  type Field,
  type NameState,
  type Observation,
  type RecordField,
  type Report,
} from './observation.ts';
import { dayMs, minuteMs, type Pace } from './schedule.ts';

/** What is held after a look, and the differences that count. */
export interface Look {
  readonly state: NameState;
  readonly differences: readonly Difference[];
}

/** A list must be empty for so long: registries lose data for hours. */
const emptyListMs = dayMs;
/** A list that was never seen filled is looked at less often, so it must be empty for longer. */
const firstListMs = 28 * dayMs;

/** A look with a verdict. */
export type Answered = Observation & { readonly facts: Facts & { readonly verdict: Verdict } };

/**
 * Returns the state that holds what a look has shown, without a comparison. Empty lists may be a loss,
 * unless the parent zone confirms that there are no name servers.
 */
export function adopted(state: NameState, look: Answered, now: number): NameState {
  const { facts, source } = look;
  const doubtful = recordFields.filter((field) => !isConfirmed(field, look));
  const candidates = emptyLists(facts, doubtful, now);
  const fields = ['standing', 'updatedAt', ...recordFields] as const;
  const seen = Object.fromEntries(fields.map((field) => [field, now]));
  const others = { others: undefined, reported: undefined };
  return { ...state, facts, source, ...others, seen, candidates, since: now };
}

/** Returns whether the parent zone shows that a list is empty. */
function isConfirmed(field: Field, { isDelegated }: Observation): boolean {
  return field === 'nameservers' && isDelegated === false;
}

/** Returns whether a difference was made at the registry, and is not a phase that comes with time. */
function isMade({ type, before, after }: Difference): boolean {
  return type !== 'PHASE' || !isPhaseOfDate(before) || !isPhaseOfDate(after);
}

/** The comparison of one look with what is held. */
export class Comparison {
  readonly #held: NameState;
  readonly #look: Answered;
  /** What of the look is comparable with what is held. */
  readonly #facts: Facts;
  readonly #verdictAt: number;
  readonly #now: number;
  readonly #pace: Pace;
  readonly #hasMoved: boolean;
  /** Whether the record is from the server that sent the last one. */
  readonly #isSameServer: boolean;
  readonly #differences: Difference[] = [];
  readonly #candidates: Partial<Record<Field, Candidate>> = {};
  readonly #seen: Partial<Record<Field | 'updatedAt', number>>;
  readonly #reported: Partial<Record<Field, Report>>;
  #next: Facts;
  #since: number;

  constructor(held: NameState, look: Answered, verdictAt: number, now: number, pace: Pace) {
    const ofServer = heldOfServer(held, look.facts, look.source, now);
    this.#held = ofServer ?? held;
    this.#facts = ofServer ? look.facts : { verdict: look.facts.verdict };
    this.#look = look;
    this.#isSameServer = look.source !== undefined && look.source === held.source;
    this.#verdictAt = verdictAt;
    this.#now = now;
    this.#pace = pace;
    const { facts, seen, reported, since } = this.#held;
    const [before, after] = [facts.updatedAt, this.#facts.updatedAt];
    this.#hasMoved = before !== undefined && (after ?? '') > before && !this.#isDrift('updatedAt');
    this.#seen = { ...seen };
    this.#reported = { ...reported };
    this.#next = facts;
    this.#since = since;
  }

  run(): Look {
    const { facts: held } = this.#held;
    const { createdAt } = this.#look.facts;
    // What is registered since before the first look was not available then.
    const isOlder = createdAt !== undefined && Date.parse(createdAt) < this.#verdictAt - dayMs;
    if (isOlder && this.#isUnconfirmed('standing') && isRegistered(this.#facts))
      return { state: adopted(this.#held, this.#look, this.#now), differences: [] };
    this.#compareStanding();
    if (isRegistered(this.#next) !== isRegistered(held)) {
      // A record of the first look that the second one lacks is of the same registration.
      const facts = { ...this.#differences[0]?.after, ...this.#look.facts };
      const state = adopted(this.#held, { ...this.#look, facts }, this.#now);
      return { state: { ...state, since: this.#since }, differences: this.#differences };
    }
    // The record of a name that was deleted or registered says nothing about the one that is held.
    if (isRegistered(this.#facts) === isRegistered(held))
      for (const field of recordFields) this.#compareRecord(field);
    this.#compareUpdated();
    return { state: this.#state(), differences: this.#differences };
  }

  #compareStanding(): void {
    const { facts: held } = this.#held;
    const isNew = isRegistered(this.#facts) && !isRegistered(held);
    const seen = isNew ? this.#facts : standingOf(this.#facts);
    const isDated = this.#facts.expiresAt !== undefined;
    // Without its date, a name that expires looks like any other.
    const hasOneDate = isDated !== (held.expiresAt !== undefined);
    const isUnclear = hasOneDate && isPhaseOfDate(held) && isPhaseOfDate(seen);
    if (!isUnclear && !isSameStanding(held, seen))
      this.#differ('standing', seen, this.#pace.secondLookMs);
    else if (seen.phase === undefined || (isUnclear && !isDated)) this.#keep('standing');
    else this.#hold('standing', seen);
  }

  #compareRecord(field: RecordField): void {
    const [held, seen] = [this.#held.facts[field], this.#facts[field]];
    if (seen === undefined) return this.#keep(field);
    const value = { [field]: seen };
    const isSilent =
      held === undefined ||
      this.#held.seen[field] === undefined ||
      (field === 'expiresAt' && this.#isDrift(field));
    const first = this.#held.candidates[field]?.since ?? 0;
    const isDoubtful = this.#now - first < firstListMs && !isConfirmed(field, this.#look);
    if (isEqual(held, seen) && this.#isUnconfirmed(field) && isDoubtful) this.#keep(field);
    if (isSilent || isEqual(held, seen) || this.#wasLost(field)) return this.#hold(field, value);
    this.#differ(field, value, isEmpty(seen) ? emptyListMs : this.#pace.secondLookMs);
  }

  #compareUpdated(): void {
    const { createdAt, updatedAt } = this.#facts;
    const before = this.#held.facts.updatedAt;
    if (createdAt !== undefined) this.#next = { ...this.#next, createdAt };
    if (updatedAt === undefined || updatedAt < (before ?? '')) return;
    const isExplaining = (field: string) => !this.#isUnconfirmed(field as Field);
    const isReported = this.#differences.some(isMade);
    // What waits for another look explains the date, unless it was only lost.
    if (this.#hasMoved && !isReported && Object.keys(this.#candidates).some(isExplaining)) return;
    const standing = standingOf(this.#held.facts);
    // A difference that was reported from a look without a date has moved it, too.
    const isExplained = Date.parse(updatedAt) <= (this.#held.reportedAt ?? 0);
    if (this.#hasMoved && !isReported && !isExplained)
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

  /**
   * The look says nothing about the field. The registry may never send it again, so each wait for it is
   * as long as all before.
   */
  #keep(field: Field): void {
    const candidate = this.#held.candidates[field];
    if (!candidate) return;
    const next = 2 * this.#now - candidate.since;
    const waitUntil = candidate.waitUntil > this.#now ? candidate.waitUntil : next;
    this.#candidates[field] = { ...candidate, waitUntil };
  }

  /** Reports a difference that is confirmed, or lets it wait for a second look. */
  #differ(field: Field, looked: Facts, waitMs: number): void {
    const reported = this.#reported[field];
    // A server that is behind has now what another one had first.
    if (reported && reported.source !== this.#look.source && isSame(field, reported.facts, looked))
      return this.#hold(field, looked);
    const earlier = this.#held.candidates[field];
    const isAgain = earlier && isSame(field, earlier.facts, looked);
    // Another server publishes the record of a first look in another form.
    const isOfOther = field === 'standing' && !this.#isSameServer;
    const known = isAgain && isOfOther ? standingOf(earlier.facts) : earlier?.facts;
    const seen = isAgain ? { ...known, ...looked } : looked;
    const since = isAgain ? earlier.since : this.#now;
    // A name is available, and a list empty, only after a second look, whatever else has changed.
    const isMoved = this.#hasMoved && seen.verdict !== 'AVAILABLE' && waitMs < emptyListMs;
    if (!isMoved && this.#now - since < waitMs) {
      // Losses of data come back: an empty list must be seen again and again.
      const waitUntil = Math.min(
        since + waitMs,
        this.#now + Math.max(waitMs / 3, this.#pace.secondLookMs),
      );
      this.#candidates[field] = { facts: seen, since, waitUntil };
      return;
    }
    const { facts: held } = this.#held;
    const times = { notBefore: this.#held.seen[field], seenAt: since };
    this.#hold(field, seen);
    const before = { ...standingOf(held), ...(field !== 'standing' && { [field]: held[field] }) };
    this.#reported[field] = { at: this.#now, source: this.#look.source, before, facts: seen };
    if (field !== 'standing') {
      this.#report(typeOfField[field], before, { ...standingOf(this.#next), ...seen }, times);
    } else {
      this.#since = since;
      this.#reportStanding(held, seen, times);
    }
  }

  #reportStanding(held: Facts, seen: Facts, times: Times): void {
    if (seen.verdict === 'AVAILABLE') this.#report('AVAILABLE', held, seen, times);
    else if (isRegistered(seen) && !isRegistered(held))
      this.#report('REGISTERED', standingOf(held), seen, times);
    else this.#report('PHASE', standingOf(held), seen, times);
  }

  #report(type: ChangeType, before: Facts, after: Facts, { notBefore, seenAt }: Times): void {
    const { evidence } = this.#look;
    const earliest = Math.min(notBefore ?? this.#verdictAt, seenAt);
    this.#differences.push({ type, notBefore: earliest, seenAt, before, after, evidence });
  }

  /** Returns whether what is held was seen first, and not for long enough. */
  #isUnconfirmed(field: Field): boolean {
    const { candidates, facts } = this.#held;
    const candidate = candidates[field];
    return candidate !== undefined && isSame(field, candidate.facts, facts);
  }

  /**
   * Returns whether a list was empty only because the registry had lost it: its last change is not
   * later. Without this date, a list counts that was empty once.
   */
  #wasLost(field: RecordField): boolean {
    if (!this.#isUnconfirmed(field) || this.#hasMoved) return false;
    if (this.#held.facts.updatedAt !== undefined) return true;
    return Date.parse(this.#facts.updatedAt ?? '') <= (this.#held.seen[field] ?? this.#now);
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

  /** Returns since when a part of the record that is held is missing, if it is. */
  #gapSince(): number | undefined {
    const { facts, recordAt, gapSince = this.#now } = this.#held;
    // The parent zone, which has no record, was asked alone.
    if (recordAt > this.#now) return this.#held.gapSince;
    return recordFields.some((field) => facts[field] && !this.#facts[field]) ? gapSince : undefined;
  }

  #state(): NameState {
    return {
      ...this.#held,
      ...(this.#differences.some(isMade) && { reportedAt: this.#now }),
      facts: this.#next,
      reported: this.#reported,
      seen: this.#seen,
      candidates: this.#candidates,
      since: this.#since,
      gapSince: this.#gapSince(),
    };
  }
}

interface Times {
  readonly notBefore: number | undefined;
  readonly seenAt: number;
}
