import { quoted } from '../../shared/printable.ts';
import { invalidParameter } from '../problems.ts';
import table from './tld-sets.json' with { type: 'json' };

/** A named set of TLDs, used as `tlds: ["@popular"]`. */
interface TldSet {
  /** The selection criterion. */
  readonly reason: string;
  readonly tlds: readonly string[];
}

/** Sets by name, without `@`. */
export type TldSets = Readonly<Record<string, TldSet>>;

/** The built-in sets. */
export const tldSets: TldSets = Object.fromEntries(
  Object.entries(table.sets).map(([name, { reason, tlds }]) => [
    name,
    { reason, tlds: tlds.split(' ') },
  ]),
);

/** The TLDs of labels that were sent without any, if there are few labels. */
export const defaultTlds = { set: '@popular', maxLabels: 20 };

/** Like `expandSet`, with the built-in sets. */
export function expandTldSet(entry: string): readonly string[] {
  return expandSet(tldSets, entry);
}

/**
 * Expands an entry of a list of TLDs: returns the TLDs of a set, or the entry itself. Throws
 * `invalid_parameter` for a set that does not exist.
 */
export function expandSet(sets: TldSets, entry: string, param = 'tlds'): readonly string[] {
  const name = entry.trim();
  if (!name.startsWith('@')) return [entry];

  const set = name.slice(1).toLowerCase();
  const { tlds } = (Object.hasOwn(sets, set) && sets[set]) || {};
  if (tlds) return tlds;

  const names = Object.keys(sets).map((each) => `@${each}`);
  const detail = `${quoted(name)} is not a set of TLDs. The sets are ${names.join(', ')}.`;
  throw invalidParameter(param, detail);
}

/** `cctld`: country or territory; `gtld`: every other TLD. */
export type TldCategory = 'gtld' | 'cctld';

/**
 * Returns the type of a TLD. All two-letter ASCII labels are reserved for countries and
 * territories.
 */
export function tldTypeOf(label: string): TldCategory {
  return regionOf(label) === undefined ? 'gtld' : 'cctld';
}

/** Returns the ISO 3166 code of a country-code TLD, or `UK`; undefined for other TLDs. */
export function regionOf(label: string): string | undefined {
  return /^[a-z]{2}$/.test(label) ? label.toUpperCase() : idnRegions.get(label);
}

/** The country codes of the A-labels that IANA's root zone database lists as country-code TLDs. */
const idnRegions: ReadonlyMap<string, string> = new Map(
  Object.entries(table.idnCountryCodes).flatMap(([region, labels]) =>
    labels.split(' ').map((label) => [label, region] as const),
  ),
);
