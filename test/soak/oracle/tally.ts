import type { Json } from '../../support/gateways/gateway.ts';
import { handleOf, truthOf } from '../truthful-registry.ts';
import type { TruthfulDas } from '../truthful-das.ts';
import type { TruthfulWhois } from '../truthful-whois.ts';
import type { TruthfulZones } from '../truthful-zones.ts';
import { tldOf, whoisTlds } from './names.ts';

interface Model {
  readonly zones: Pick<TruthfulZones, 'wasDelegated'>;
  readonly das: Pick<TruthfulDas, 'states' | 'losses'>;
  readonly whois: Pick<TruthfulWhois, 'losses'>;
}

/** When a name was looked up: during an outage of its registry, in the rounds after it, or else. */
export type Phase = 'normal' | 'outage' | 'recovery';

/** How many false "available" answers are possible per loss of data, between two controls. */
const maxFalsePerLoss = 20;

/** Counts answers and compares them with the expected verdicts. */
export function createTally(phaseOf: (name: string) => Phase, model: Model) {
  const byPhase = {
    normal: { rows: 0, unknown: 0 },
    outage: { rows: 0, unknown: 0 },
    recovery: { rows: 0, unknown: 0 },
  };
  const tally = {
    checked: 0,
    verdicts: {} as Record<string, number>,
    sources: {} as Record<string, number>,
    /** Answers for names with a WHOIS server, by verdict and source. */
    whois: {} as Record<string, number>,
    cached: 0,
    stale: 0,
    refused: 0,
    /** The names that were falsely available, by the loss of data of a DAS or WHOIS server. */
    falseByLoss: new Map<string, Set<string>>(),
    wrong: [] as string[],
  };
  /** Returns whether a false "available" is within the bound that is stated per loss of data. */
  const isWithinBound = (name: string, checkedAt: number): boolean => {
    const tld = tldOf(name);
    const loss = model.das.losses.at(tld, checkedAt) ?? model.whois.losses.at(tld, checkedAt);
    if (loss === undefined) return false;
    const names = tally.falseByLoss.get(loss) ?? new Set();
    tally.falseByLoss.set(loss, names.add(name));
    return names.size <= maxFalsePerLoss;
  };
  return Object.assign(tally, {
    /** Compares an answer with the expected verdict. */
    check(expected: string, row: Json): void {
      const verdict = String(row?.status).toLowerCase();
      tally.checked += 1;
      countIn(tally.verdicts, verdict);
      countIn(tally.sources, String(row?.source));
      if (whoisTlds.some((tld) => tld === tldOf(expected)))
        countIn(tally.whois, `${verdict} ${row?.source ?? row?.reason}`);
      tally.cached += Number(row?.cached === true);
      tally.stale += Number(row?.stale === true);
      const phase = byPhase[phaseOf(expected)];
      phase.rows += 1;
      phase.unknown += Number(verdict === 'unknown');
      const isFalse = row?.available === true && truthOf(expected) !== 'available';
      const checkedAt = Date.parse(row?.checked_at ?? row?.checkedAt);
      if (isFalse && isWithinBound(expected, checkedAt)) return;
      for (const fault of faultsOf(expected, row, verdict, model))
        tally.wrong.push(`${expected}: ${fault} in ${JSON.stringify(row)}`);
    },
    rowsIn: (phase: Phase): number => byPhase[phase].rows,
    unknownShares(): Record<Phase, string> {
      const share = (phase: Phase) =>
        `${((100 * byPhase[phase].unknown) / Math.max(1, byPhase[phase].rows)).toFixed(1)} %`;
      return { normal: share('normal'), outage: share('outage'), recovery: share('recovery') };
    },
    addWrong: (text: string) => void tally.wrong.push(text),
    addRejected: () => void (tally.refused += 1),
  });
}

function countIn(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

export type Tally = ReturnType<typeof createTally>;

function faultsOf(name: string, row: Json, verdict: string, model: Model): readonly string[] {
  const truth = truthOf(name);
  const available = ['unknown', 'pending'].includes(verdict) ? null : verdict === 'available';
  const handle = row?.registration?.handle ?? row?.rdap?.handle;
  return [
    row?.domain !== name && 'another name',
    !isAllowed(name, row, verdict, model) && `a wrong verdict, not ${truth}`,
    row?.available !== available && 'a verdict that contradicts itself',
    row?.available === true && row.stale && 'a stale AVAILABLE',
    verdict === 'unknown' && !row?.reason && 'no reason',
    verdict === 'unknown' && row?.cached && 'a cached UNKNOWN',
    typeof handle === 'string' && handle !== handleOf(name) && "another name's record",
    row?.rdap?.ldhName !== undefined &&
      String(row.rdap.ldhName).toLowerCase() !== name &&
      "another name's object",
  ].filter((fault) => typeof fault === 'string');
}

/**
 * Returns whether a source that is not wrong allows the verdict: the expected one, UNKNOWN, PENDING,
 * REGISTERED by a delegation that its zone contained then, REGISTERED by the WHOIS server of .ru,
 * which has no other states, the reply of .ch that a name cannot be
 * registered, which does not say why, or the reply of an availability service that reported every
 * name as registered, which only prevents AVAILABLE.
 */
function isAllowed(name: string, row: Json, verdict: string, model: Model): boolean {
  const truth = truthOf(name);
  if (['unknown', 'pending', truth].includes(verdict)) return true;
  const source = String(row?.source).toLowerCase();
  if (verdict === 'registered' && source === 'dns')
    return model.zones.wasDelegated(name, Date.parse(row.checked_at ?? row.checkedAt));
  if (source === 'whois' && verdict === 'registered' && name.endsWith('.ru'))
    return truth !== 'available';
  if (source !== 'das' || !['registered', 'reserved'].includes(verdict)) return false;
  return model.das.states.has('all registered') || (truth !== 'available' && name.endsWith('.ch'));
}
