import type { Charge, Tables } from '../tables.ts';
import type { Call, Outcome } from './accounts-file.ts';
import type { Commit } from './group-commit.ts';

/**
 * Charges for good of one account that are committed together are one, of their sum: one entry, and little to tell the other thread. Each is
 * told the balance as it was after it; where they do not all fit, those that come first are granted.
 */
export function joiningCharges(commit: Commit): Commit {
  return async (calls) => {
    const groups = grouped(calls);
    const outcomes = await commit(groups.map(joined));
    const ofEach: Outcome[] = [];
    for (const [index, { calls: joint, places }] of groups.entries()) {
      const shares = sharesOf(joint, outcomes[index] as Outcome);
      for (const [nth, place] of places.entries()) ofEach[place] = shares[nth] as Outcome;
    }
    return ofEach;
  };
}

type Charging = Parameters<Tables['charge']>;

/** Calls that are one, and where they stood. */
interface Group {
  readonly calls: Call[];
  readonly places: number[];
}

/** What is no charge for good is a group of its own. */
function grouped(calls: readonly Call[]): readonly Group[] {
  const groups: Group[] = [];
  const lastOf = new Map<string, Group>();
  for (const [place, call] of calls.entries()) {
    const [accountId, , forGood] = call.args as Charging;
    const isJoinable = call.method === 'charge' && forGood;
    const last = isJoinable ? lastOf.get(accountId) : undefined;
    if (last && monthOf(last.calls[0] as Call) === monthOf(call)) {
      last.calls.push(call);
      last.places.push(place);
    } else {
      const group = { calls: [call], places: [place] };
      groups.push(group);
      if (isJoinable) lastOf.set(accountId, group);
    }
  }
  return groups;
}

function joined({ calls }: Group): Call {
  const [first] = calls as [Call];
  if (calls.length === 1) return first;
  const [accountId, , , moment] = first.args as Charging;
  return { method: 'chargeAll', args: [accountId, calls.map(amountOf), moment] };
}

function sharesOf(calls: readonly Call[], outcome: Outcome): readonly Outcome[] {
  if (calls.length === 1 || 'failure' in outcome) return calls.map(() => outcome);
  const charged = outcome.value as Charge | readonly Charge[];
  if (Array.isArray(charged)) return charged.map((value) => ({ value }));
  const all = charged as Charge;
  let used = all.used - calls.reduce((sum, call) => sum + amountOf(call), 0);
  return calls.map((call) => ({ value: { ...all, used: (used += amountOf(call)) } }));
}

function amountOf({ args }: Call): number {
  const [, amount] = args as Charging;
  return amount;
}

function monthOf({ args }: Call): string {
  const [, , , { month }] = args as Charging;
  return month;
}
