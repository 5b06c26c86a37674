import type { Clock } from '../clock.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, type DomainName } from '../domain/names/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import { observationOf, recordQuery } from './answer-observation.ts';
import { differenceBody } from './bodies.ts';
import { newState, observe } from './name-state.ts';
import type { Difference, NameState } from './observation.ts';
import { hourMs, type Pace } from './schedule.ts';

/** What a look at a name has shown. */
export interface SingleLook {
  readonly domain: DomainName;
  /** What the next look is compared with. */
  readonly state: NameState;
  /** With the keys of `GET /v1/changes`, without an id. */
  readonly changes: readonly object[];
  /** Why there is no verdict; null if there is one. */
  readonly problem: Problem | null;
}

const pace: Pace = { secondLookMs: 10_000, hasZone: false };

/**
 * Looks at names now, and again after ten seconds at those that differ from their states, for programs
 * that keep the states themselves. A name without a state gets its baseline.
 */
export function lookOnce(
  names: readonly DomainName[],
  states: Readonly<Record<string, NameState>>,
  parts: Parts,
): Promise<readonly SingleLook[]> {
  const looks = names.map(async (domain): Promise<SingleLook> => {
    const { clock } = parts;
    const state = states[domain] ?? newState(clock.now());
    const first = await lookAt(domain, state, parts);
    const soon = clock.now() + pace.secondLookMs;
    const isDue = Object.values(first.state.candidates).some(({ waitUntil }) => waitUntil <= soon);
    if (isDue) await new Promise<void>((resolve) => clock.after(pace.secondLookMs, resolve));

    const second = isDue ? await lookAt(domain, first.state, parts) : undefined;
    const { state: last, problem } = second ?? first;
    const differences = [...first.differences, ...(second?.differences ?? [])];
    const changes = differences.map((each) => differenceBody({ ...each, domain }));

    return { domain, state: last, changes, problem };
  });
  return Promise.all(looks);
}

interface Parts {
  readonly directory: Directory;
  readonly clock: Clock;
}

async function lookAt(
  domain: DomainName,
  state: NameState,
  { directory, clock }: Parts,
): Promise<Pick<SingleLook, 'state' | 'problem'> & { differences: readonly Difference[] }> {
  const resolved = directory.resolve(splitName(domain));
  if ('problem' in resolved) return { state, problem: resolved.problem, differences: [] };

  const { signal } = new AbortController();
  const request = { signal, account: 'local', priority: 'bulk' } as const;
  const answer = await resolved.registry.lookup(recordQuery(domain), {
    ...request,
    queueDeadline: clock.now() + hourMs,
  });
  const look = observationOf(domain, resolved, answer, clock.now());
  const problem = look.facts ? null : (answer.problem ?? new Problem('untrusted_answer', unproven));

  return { ...observe(state, look, clock.now(), pace), problem };
}

const unproven = 'The registry does not prove that the name is available.';
