import { wrap } from './wrap.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the files are checked by what is made of them
export type Facts = Readonly<Record<string, any>>;

/** The sources of life cycles, in order of preference, and the TLD that each one speaks for. */
const cycleSources: readonly (readonly [code: string, name: string, tld?: string])[] = [
  ['denic', 'DENIC', 'de'],
  ['norid', 'Norid', 'no'],
  ['pandi', 'PANDI', 'id'],
  ['nicag', 'NIC AG', 'ag'],
  ['dnspl', 'NASK', 'pl'],
  ['nicsk', 'SK-NIC', 'sk'],
  ['icann-default', 'ICANN'],
  ['r53', 'Amazon Route 53'],
  ['dnsimple', 'DNSimple'],
];

/** The periods of the sandbox, whose names are in all phases. */
const sandboxCycle = {
  grace: 45,
  deletion: [0, 45],
  redemption: 30,
  pendingDelete: 5,
  release: 35,
  source: 'sandbox',
  isRule: true,
  tlds: ['test'],
};

/** Groups the TLDs with the same documented periods, from the same source. */
export function lifeCyclesIn(tlds: Facts, sources: Facts) {
  const groups = new Map<string, string[]>();
  for (const [tld, fact] of Object.entries(tlds)) {
    const periods = periodsOf(fact);
    const [code, name, own] = cycleSources.find(([each]) => fact.source.includes(each)) ?? [];
    if (!code || !periods || ['low', 'unknown'].includes(fact.confidence)) continue;

    const { date } = sources[code];
    const group = {
      ...periods,
      source: date === 'undated' ? name : `${name} (${date})`,
      isRule: own === tld || code === 'icann-default' || undefined,
    };
    const key = JSON.stringify(group);

    groups.set(key, [...(groups.get(key) ?? []), tld]);
  }

  const cycles = Array.from(groups, ([key, each]) => ({ ...JSON.parse(key), tlds: wrap(each) }));
  return [...cycles, sandboxCycle];
}

/**
 * Returns the periods of a TLD in days; undefined if none is known. Facts have `grace` with a minimum
 * and a maximum, or `registrarDeletesAtDay`; `redemption`, `pendingDelete`, `dropAfterDeletion`; and
 * when the name becomes available, `dropAfterExpiry` or `deletedAtDay`.
 */
function periodsOf(fact: Facts[string]) {
  const { registrarDeletesAtDay: day, deletedAtDay, dropAfterDeletion, dropAfterExpiry } = fact;
  const grace = fact.grace?.[1] ?? Math.max(0, day ?? 0);
  const restOfCycle = dropAfterExpiry ? dropAfterExpiry[1] - grace : Infinity;

  // A longer redemption than the rest of the cycle is that of names that are deleted on request.
  const restorable = fact.redemption ?? dropAfterDeletion ?? 0;
  const redemption = restorable <= restOfCycle ? restorable : 0;
  const sum = fact.redemption + fact.pendingDelete;
  const fromDay = deletedAtDay - day;
  const release = [dropAfterDeletion, sum, fromDay, restOfCycle].find(Number.isFinite);

  // A registry that deletes without redemption does so on its own day. Otherwise, registrars do.
  const onDay = redemption > 0 ? [Math.min(0, day), Math.max(0, day)] : [day, day];
  const byGrace = day === undefined ? fact.grace : onDay;
  const deletion = dropAfterExpiry
    ? dropAfterExpiry.map((each: number) => each - (release ?? 0))
    : deletedAtDay === null
      ? undefined
      : byGrace;

  if (grace === 0 && redemption === 0) return undefined;

  return {
    grace: grace || undefined,
    deletion,
    redemption: redemption || undefined,
    pendingDelete: fact.pendingDelete || undefined,
    release,
  };
}
