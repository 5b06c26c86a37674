import table from './tld-sets.json' with { type: 'json' };

/** A named set of TLDs, used as `tlds: ["@popular"]`. */
interface TldSet {
  /** The selection criterion. */
  readonly reason: string;
  readonly tlds: readonly string[];
}

/** The sets by name, without `@`. */
export const tldSets: Readonly<Record<string, TldSet>> = Object.fromEntries(
  Object.entries(table.sets).map(([name, { reason, tlds }]) => [
    name,
    { reason, tlds: tlds.split(' ') },
  ]),
);

/** Expands an entry of a list of TLDs: returns the TLDs of a set, or the entry itself. */
export function expandTldSet(entry: string): readonly string[] {
  const name = /^@([a-z]+)$/i.exec(entry.trim())?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(tldSets, name) ? (tldSets[name]?.tlds ?? []) : [entry];
}

/** `cctld`: country or territory; `gtld`: every other TLD. */
export type TldCategory = 'gtld' | 'cctld';

/**
 * Returns the type of a TLD. All two-letter ASCII labels are reserved for countries and
 * territories.
 */
export function tldTypeOf(label: string): TldCategory {
  return /^[a-z]{2}$/.test(label) || idnCountryCodes.has(label) ? 'cctld' : 'gtld';
}

/** The A-labels that IANA's root zone database lists as country-code TLDs. */
const idnCountryCodes: ReadonlySet<string> = new Set(
  table.idnCountryCodes.flatMap((line) => line.split(' ')),
);
