import type { DomainName } from '../domain/names/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import type { NameState } from './observation.ts';
import type { Watch } from './types.ts';

/** Credits for a name and a calendar month (UTC), whatever is read. */
export const creditsPerMonth = 10;

/** A watch with its name's row. */
export interface Watched {
  readonly name: DomainName;
  readonly label: string | null;
  readonly startedAt: number;
  readonly problem: string | null;
  readonly nextLook: number;
  readonly state: string;
}

/** Selects the watches of the account `$1`. */
export const selectWatches = `
  SELECT watches.name, label, started_at AS "startedAt", problem, next_look AS "nextLook", state
  FROM watches JOIN watched_names ON watched_names.name = watches.name WHERE account = $1 AND ended = 0`;

/** The members of an entry that is not watched. */
export const unwatched = {
  label: null,
  startedAt: null,
  problem: null,
  facts: null,
  since: null,
  checkedAt: null,
  failingSince: null,
  nextLookAt: null,
} satisfies Partial<Watch>;

/** Returns the watch of a row of `selectWatches`. */
export function watchOf({ name, label, startedAt, problem, nextLook, state }: Watched): Watch {
  const { facts, since, verdictAt = null, failingSince = null } = JSON.parse(state) as NameState;
  const isPaused = problem !== null;

  return {
    domain: name,
    label,
    startedAt,
    problem: isPaused ? new Problem('insufficient_credits', pausedDetail) : null,
    facts: facts.verdict ? facts : null,
    since: facts.verdict ? since : null,
    checkedAt: verdictAt,
    failingSince,
    nextLookAt: nextLook,
  };
}

const pausedDetail = `The watch pauses: ${creditsPerMonth} credits for this month are missing. It goes on by itself when there are enough.`;
