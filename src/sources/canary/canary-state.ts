import type { DomainName } from '../../domain/domain-name.ts';

/** What is known of a server's ability to find the names of one directory entry. */
export interface CanaryState {
  /** Names that a server of the entry has found, the newest first. */
  readonly canaries: readonly DomainName[];
  /** When canaries were last looked up, and when one was last found by that; epoch ms, 0 for never. */
  readonly checkedAt: number;
  readonly foundAt: number;
  /** It does not find its canaries: its 404s prove nothing until it does. */
  readonly failing: boolean;
  /** AVAILABLE answers from before this moment (epoch ms) no longer count. */
  readonly trustedSince: number;
  /** How many checks in a row have found nothing. */
  readonly missed: number;
}

const maxCanaries = 8;
const maxLookupsPerCheck = 4;

export const initialCanaryState: CanaryState = {
  canaries: [],
  checkedAt: 0,
  foundAt: 0,
  failing: false,
  trustedSince: 0,
  missed: 0,
};

/**
 * Returns the state after a server has found a name that a caller looked up, which makes it a canary while there are few, or while others are
 * missing. Returns the same state if it changes nothing.
 */
export function withFound(state: CanaryState, name: DomainName, now: number): CanaryState {
  const { canaries, failing, missed } = state;
  if (canaries.includes(name) || (canaries.length >= maxCanaries && !failing)) return state;
  const discardsAvailable = canaries.length === 0 && missed > 0;
  return {
    ...state,
    canaries: [name, ...canaries].slice(0, maxCanaries),
    // A server that was missing its canaries is checked with the next 404.
    ...(failing && { checkedAt: 0 }),
    ...(discardsAvailable && { trustedSince: now }),
  };
}

/** Returns the state after a check that has found canaries. */
export function withRecovery(
  state: CanaryState,
  found: readonly DomainName[],
  absent: readonly DomainName[],
  now: number,
): CanaryState {
  const { canaries, failing, trustedSince, missed } = state;
  const previous = canaries.length > 0 ? canaries : found;
  // One that is absent while others are found was deleted.
  const remaining = [...new Set([...previous, ...found])]
    .filter((name) => !absent.includes(name))
    .slice(0, maxCanaries);
  const discardsAvailable = failing || (canaries.length === 0 && missed > 0);
  const since = discardsAvailable ? now : trustedSince;
  return {
    canaries: remaining,
    checkedAt: now,
    foundAt: now,
    failing: false,
    trustedSince: since,
    missed: 0,
  };
}

export function lastChangedAt({ checkedAt, foundAt }: CanaryState): number {
  return Math.max(checkedAt, foundAt);
}

/** Returns the age of a moment: infinity if it is in the future, as a clock that was ahead has recorded it. */
export function ageMs(moment: number, now: number): number {
  return moment > now ? Infinity : now - moment;
}

/** Returns the names that a check looks up: the canaries, beginning with another one at each `turn`, then the candidates. */
export function namesToLookUp(
  { canaries, failing, missed }: CanaryState,
  candidates: readonly DomainName[],
  rotation: number,
  exclude: DomainName | undefined,
): readonly DomainName[] {
  // The newest ones first while it is failing: those that are gone for good must not keep it from recovering.
  const ordered = failing ? canaries : rotate(canaries, rotation);
  const names = [...new Set([...ordered, ...rotate(candidates, missed)])];
  return names.filter((name) => name !== exclude).slice(0, maxLookupsPerCheck);
}

function rotate(names: readonly DomainName[], offset: number): readonly DomainName[] {
  const start = names.length === 0 ? 0 : offset % names.length;
  return [...names.slice(start), ...names.slice(0, start)];
}
