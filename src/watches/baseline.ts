import type { Verdict } from '../domain/verdict.ts';
import { isEmpty } from './compare-facts.ts';
import {
  recordFields,
  type Candidate,
  type Facts,
  type Field,
  type NameState,
  type Observation,
  type RecordField,
} from './observation.ts';

/** The time of an observation that is not made because of a candidate. */
const never = Number.MAX_SAFE_INTEGER;

export type Answered = Observation & { readonly facts: Facts & { readonly verdict: Verdict } };

/**
 * Returns the state that consists of what an observation shows, without a comparison. Empty lists may be
 * a loss, unless the parent zone confirms that there are no name servers.
 */
export function baselineOf(state: NameState, observation: Answered, now: number): NameState {
  const { facts, source } = observation;
  const doubtful = recordFields.filter((field) => !isConfirmed(field, observation));
  const candidates = emptyLists(facts, doubtful, now);
  const fields = ['standing', 'updatedAt', ...recordFields] as const;
  const seen = Object.fromEntries(fields.map((field) => [field, now]));
  const others = { others: undefined, reported: undefined };

  return { ...state, facts, source, ...others, seen, candidates, since: now };
}

/** Returns whether the parent zone shows that a list is empty. */
export function isConfirmed(field: Field, { isDelegated }: Observation): boolean {
  return field === 'nameservers' && isDelegated === false;
}

/**
 * Returns what waits for confirmation after a first observation: lists that are empty, which may be a
 * loss. No observation is made because of them.
 */
export function emptyLists(
  facts: Facts,
  fields: readonly RecordField[],
  now: number,
): Partial<Record<Field, Candidate>> {
  const empty = fields.filter((field) => isEmpty(facts[field]));
  return Object.fromEntries(
    empty.map((field) => [field, { facts: { [field]: [] }, since: now, waitUntil: never }]),
  );
}
