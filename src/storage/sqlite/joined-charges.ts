import type { Charge, Tables } from '../tables.ts';
import type { Call, Outcome } from './accounts-file.ts';
import type { Commit } from './group-commit.ts';

/**
 * Charges of one account that are committed together are one, of their sum: one entry, one message to the other thread. Each is told the
 * balance as it was after it. Where the sum does not fit, each is charged alone.
 */
export function joiningCharges(commit: Commit): Commit {
  return async (calls) => {
    const groups = Array.from(Map.groupBy(calls, joinedBy).values());
    const outcomes = await commit(groups.map(joined));
    const known = new Map(groups.flatMap((group, index) => shares(group, outcomes[index])));
    const alone = calls.filter((call) => !known.has(call));
    // What was charged stays so, whatever becomes of the rest.
    const others = alone.length > 0 ? await commit(alone).catch((failure: unknown) => alone.map(() => ({ failure }))) : [];
    for (const [index, call] of alone.entries()) known.set(call, others[index] as Outcome);
    return calls.map((call) => known.get(call) as Outcome);
  };
}

type Charging = Parameters<Tables['charge']>;

/** Calls by which this is the same are one. */
function joinedBy(call: Call): unknown {
  if (call.method !== 'charge') return call;
  const [accountId, , forGood, { month }] = call.args as Charging;
  return forGood ? `${accountId} ${month}` : call;
}

function joined(group: readonly Call[]): Call {
  const [first] = group as readonly [Call];
  if (group.length === 1) return first;
  const [accountId, , forGood, moment] = first.args as Charging;
  return { method: 'charge', args: [accountId, sum(group), forGood, moment] };
}

/** The outcome of each; none where they did not fit together. */
function shares(group: readonly Call[], outcome: Outcome | undefined): readonly (readonly [Call, Outcome])[] {
  if (!outcome) return [];
  if (group.length === 1 || 'failure' in outcome) return group.map((call) => [call, outcome]);
  const charge = outcome.value as Charge;
  if (charge.entry === undefined) return [];
  let used = charge.used - sum(group);
  return group.map((call) => [call, { value: { ...charge, used: (used += amountOf(call)) } }]);
}

function sum(group: readonly Call[]): number {
  return group.reduce((total, call) => total + amountOf(call), 0);
}

function amountOf({ args }: Call): number {
  const [, amount] = args as Charging;
  return amount;
}
