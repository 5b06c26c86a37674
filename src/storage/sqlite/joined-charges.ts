import type { Charge, Tables } from '../tables.ts';
import type { Call, Outcome } from './accounts-file.ts';
import type { Commit } from './group-commit.ts';

/**
 * Charges for good of one account that are committed together are one, of their sum: one entry, and little to tell the other thread. Each is
 * told the balance as it was after it; where they do not all fit, those that come first are granted.
 */
export function joiningCharges(commit: Commit): Commit {
  return async (calls) => {
    const groups = Array.from(Map.groupBy(calls, joinedBy).values());
    const outcomes = await commit(groups.map(joined));
    const known = new Map(groups.flatMap((group, index) => shares(group, outcomes[index] as Outcome)));
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
  const [accountId, , , moment] = first.args as Charging;
  return { method: 'chargeAll', args: [accountId, group.map(amountOf), moment] };
}

function shares(group: readonly Call[], outcome: Outcome): readonly (readonly [Call, Outcome])[] {
  if (group.length === 1 || 'failure' in outcome) return group.map((call) => [call, outcome]);
  const charged = outcome.value as Charge | readonly Charge[];
  if (Array.isArray(charged)) return group.map((call, index) => [call, { value: charged[index] }]);
  const all = charged as Charge;
  let used = all.used - group.reduce((sum, call) => sum + amountOf(call), 0);
  return group.map((call) => [call, { value: { ...all, used: (used += amountOf(call)) } }]);
}

function amountOf({ args }: Call): number {
  const [, amount] = args as Charging;
  return amount;
}
