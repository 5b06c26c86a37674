import type { DomainName } from '../../domain/names/domain-name.ts';
import type { MonitorState, StateForm } from './monitor-state.ts';

/** The canary state of one server for one directory entry. */
export interface CanaryState extends MonitorState {
  /** Names that the server has found, newest first. */
  readonly canaries: readonly DomainName[];
  /** The number of consecutive checks that found nothing. */
  readonly missed: number;
}

const maxCanaries = 8;
/** Limits how many answers of a server that has lost its data count between two checks. */
const maxUnverifiedPerCluster = 20;
const maxLookupsPerCheck = 4;

export const canaryStateForm: StateForm<CanaryState> = {
  initial: {
    canaries: [],
    checkedAt: 0,
    provenAt: 0,
    isFailing: false,
    trustedSince: 0,
    missed: 0,
  },
  provenAt: 'foundAt',
  isFailing: 'failing',
};

/**
 * Returns the state after a server has found a name in a caller's lookup. The name becomes a canary
 * if there are fewer than eight, or if the server is failing. Returns the same object if nothing
 * changes.
 */
export function withFound(state: CanaryState, name: DomainName, now: number): CanaryState {
  const { canaries, isFailing, missed } = state;
  if (canaries.includes(name) || (canaries.length >= maxCanaries && !isFailing)) return state;

  const discardsAvailable = canaries.length === 0 && missed > 0;
  return {
    ...state,
    canaries: [name, ...canaries].slice(0, maxCanaries),
    // A failing server is checked at the next 404.
    ...(isFailing && { checkedAt: 0 }),
    ...(discardsAvailable && { trustedSince: now }),
  };
}

/** Returns the state after a check that found canaries. */
export function withRecovery(
  state: CanaryState,
  found: readonly DomainName[],
  absent: readonly DomainName[],
  now: number,
): CanaryState {
  const { canaries, isFailing, trustedSince, missed } = state;
  const previous = canaries.length > 0 ? canaries : found;

  // A canary that is missing while others are found has been deleted.
  const remaining = [...new Set([...previous, ...found])]
    .filter((name) => !absent.includes(name))
    .slice(0, maxCanaries);
  const discardsAvailable = isFailing || (canaries.length === 0 && missed > 0);
  const since = discardsAvailable ? now : trustedSince;

  return {
    canaries: remaining,
    checkedAt: now,
    provenAt: now,
    isFailing: false,
    trustedSince: since,
    missed: 0,
  };
}

/**
 * Returns how many "not found" answers of a server count on each node between two of its checks, so
 * that the nodes of a cluster together have a limit.
 */
export function maxUnverifiedPerNode(clusterSize: number): number {
  return Math.max(1, Math.floor(maxUnverifiedPerCluster / clusterSize));
}

/**
 * Returns the names that a check looks up: the canaries, rotated by `rotation`, and then the
 * candidates.
 */
export function namesToLookUp(
  { canaries, isFailing, missed }: CanaryState,
  candidates: readonly DomainName[],
  rotation: number,
  exclude: DomainName | undefined,
): readonly DomainName[] {
  // Newest first while the server is failing, so that deleted canaries do not prevent its recovery.
  const ordered = isFailing ? canaries : rotate(canaries, rotation);
  const names = [...new Set([...ordered, ...rotate(candidates, missed)])];
  return names.filter((name) => name !== exclude).slice(0, maxLookupsPerCheck);
}

function rotate(names: readonly DomainName[], offset: number): readonly DomainName[] {
  const start = names.length === 0 ? 0 : offset % names.length;
  return [...names.slice(start), ...names.slice(0, start)];
}
