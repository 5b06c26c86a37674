import {
  parseDomainName,
  splitName,
  tldOf,
  type DomainName,
} from '../../domain/names/domain-name.ts';
import privateTable from '../directory/private-registries.json' with { type: 'json' };
import lines from './registered-names.json' with { type: 'json' };
import table from './well-known-labels.json' with { type: 'json' };

/** Labels of long-established registrations, by TLD, for registries that do not hold `nic`. */
const wellKnownLabels: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(table));

const defaultLabels = ['google', 'amazon', 'facebook'];

/** TLDs that reserve `nic` instead of registering it. */
const withoutNic = new Set(['cn', 'kr']);

/** Under a very long entry, a canary name could exceed the maximum length. */
const maxNameLength = 253;

/** Returns names that the registry of an entry should find, most likely first. */
export function canaryNames(entry: string): readonly DomainName[] {
  const nic = withoutNic.has(entry) ? [] : ['nic'];
  const labels = [...nic, ...(wellKnownLabels.get(entry) ?? defaultLabels)];
  return distinct([...registeredNames(entry), ...namesUnder(entry, labels)]);
}

/**
 * Returns names below a TLD or another zone that are probably delegated, most likely first. Names
 * more than one label below it come last: they may be in a zone of their own. `nic` is omitted,
 * because it often has no delegation.
 */
export function sampleNames(zone: string): readonly DomainName[] {
  const labels = [...(wellKnownLabels.get(zone) ?? []), ...defaultLabels];
  const known = registeredNames(zone).filter((name) => !name.startsWith('nic.'));
  const isDirect = (name: DomainName) => splitName(name).suffix === zone;

  return distinct([
    ...known.filter(isDirect),
    ...namesUnder(zone, labels),
    ...known.filter((name) => !isDirect(name)),
  ]);
}

/**
 * Returns whether the entry has canary names that are certainly registered: a registry that finds
 * none of them has lost data.
 */
export function hasWellKnownNames(entry: string): boolean {
  return wellKnownLabels.has(entry);
}

function namesUnder(suffix: string, labels: readonly string[]): readonly DomainName[] {
  return labels
    .map((label) => `${label}.${suffix}`)
    .filter((name) => name.length <= maxNameLength)
    .map((name) => parseDomainName(name));
}

function distinct(names: readonly DomainName[]): readonly DomainName[] {
  return Array.from(new Set(names));
}

/**
 * Names in TLDs for which IANA lists no RDAP server, for each TLD the most certain one first. They
 * are registered according to WHOIS answers of 2015 to 2026, or are in lists of visited sites.
 * `nic.cn` and `nic.kr` are absent, because they are reserved.
 */
const names = lines.flatMap((line) => line.split(' '));

const namesByTld = Map.groupBy(names, tldOf);

/** Names under the domains of private registries, which are no names of the TLD. */
const privateNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(privateTable).map(([suffix, entry]) => [
    suffix,
    'registered' in entry ? entry.registered.split(' ') : [],
  ]),
);

/** Returns names under a suffix that are very probably registered. */
export function registeredNames(suffix: string): readonly DomainName[] {
  const found = privateNames.get(suffix) ?? namesByTld.get(tldOf(suffix)) ?? [];
  return found.filter((name) => name.endsWith(`.${suffix}`)).map((name) => parseDomainName(name));
}
