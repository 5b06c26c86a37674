import { emptyLists } from './baseline.ts';
import { isSame } from './compare-facts.ts';
import { recordFields, type Facts, type Field, type NameState } from './observation.ts';
import { dayMs } from './schedule.ts';

/** After so long, another server may say that a name is no longer about to be deleted. */
const otherServerMs = 14 * dayMs;
/** How many servers are remembered beside the current one. */
const maxServers = 3;

/**
 * Returns the state that an observation is compared with. It has the record that the same server sent
 * before, because servers publish one registration in different forms. What was reported of another one
 * since then is taken from the observation, unless both had it in the same form before. Returns
 * undefined if the server does not know the verdict of the state.
 */
export function stateOfServer(
  state: NameState,
  observed: Facts,
  source: string | undefined,
  now: number,
): NameState | undefined {
  const { facts, seen, candidates, source: current, others = {} } = state;
  if (source === undefined || current === undefined || source === current)
    return { ...state, source: current ?? source };

  const isContradiction = observed.verdict === 'REGISTERED' && facts.verdict !== 'REGISTERED';
  if (isContradiction && now - (seen.standing ?? now) < otherServerMs) return undefined;

  const { [source]: own, ...rest } = others;
  const isKnown = (field: Field) => {
    const seenAt = own?.seen[field];
    const { at = -Infinity, before } = state.reported?.[field] ?? {};
    if (!own || seenAt === undefined) return false;
    return seenAt >= at || (before !== undefined && isSame(field, own.facts, before));
  };

  const known = recordFields.filter((field) => isKnown(field) && own?.facts[field] !== undefined);
  const unknown = recordFields.filter((field) => !known.includes(field));
  const isSameVerdict = observed.verdict === facts.verdict;
  const ofPhase = isKnown('standing') && own?.facts.verdict === facts.verdict ? own : undefined;
  const phaseOf = ofPhase?.facts ?? (isSameVerdict ? observed : facts);
  const { standing, ...waiting } = own?.candidates ?? {};

  return {
    ...state,
    source,
    others: Object.fromEntries(
      [...Object.entries(rest), [current, { facts, seen, candidates }]].slice(-maxServers),
    ),
    facts: {
      ...facts,
      ...observed,
      ...picked(own?.facts, [...known, 'updatedAt']),
      ...picked(facts, ['verdict']),
      ...picked(phaseOf, ['phase']),
    },
    seen: {
      ...picked(own?.seen, [...known, 'updatedAt']),
      ...picked((isSameVerdict && ofPhase?.seen) || seen, ['standing']),
    },
    candidates: {
      ...emptyLists(observed, unknown, now),
      ...picked(waiting, known),
      ...(ofPhase && standing?.facts.verdict === 'REGISTERED' && { standing }),
    },
  };
}

/** Returns the members that are defined. */
function picked<T extends object>(members: T | undefined, names: readonly string[]): Partial<T> {
  const entries = Object.entries(members ?? {});
  return Object.fromEntries(
    entries.filter(([name, value]) => names.includes(name) && value !== undefined),
  ) as Partial<T>;
}
