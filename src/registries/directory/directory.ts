import { parse } from 'tldts';
import type { Directory, Resolution } from '../../domain/directory.ts';
import {
  splitName,
  tldOf,
  type DomainName,
  type SplitName,
} from '../../domain/names/domain-name.ts';
import type { Registry } from '../../domain/source.ts';
import { isSharedSecondLevel, type Policy } from '../../domain/policy.ts';
import { Problem } from '../../domain/problems.ts';
import { tldSets } from '../../domain/names/tld-sets.ts';
import { similarNames } from '../../shared/similar-name.ts';
import { isReverseName } from '../../domain/names/reverse-zone.ts';
import { specialUseOfName, specialUseText } from './special-use.ts';
import {
  entrySuffixes,
  suffixSources,
  type CurrentSources,
  type SuffixSources,
} from './suffix-sources.ts';
import { builtInTlds } from './tld-list.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** Registries by entry, the suffix that they serve; null if its names have no source. */
export type Entries = ReadonlyMap<string, Registry | null>;

/**
 * Creates a directory. A name must be exactly one label under an entry, or under a public suffix
 * (ICANN section) below an entry: a registry's "not found" for a name one level too deep, or for a
 * suffix, would be mistaken for "available". `whyUnreachable`: why the sources of a TLD may be out of
 * reach, if they are not disabled.
 */
export function createDirectory(
  entries: () => Entries,
  policy: (suffix: string) => Policy,
  whyUnreachable?: string,
): Directory {
  return { resolve: (name) => resolve(name, entries(), policy, whyUnreachable) };
}

function resolve(
  name: SplitName,
  entries: Entries,
  policy: (suffix: string) => Policy,
  whyUnreachable: string | undefined,
): Resolution {
  const entry = servingEntryOf(entries, name);
  const registry = (entry === undefined ? undefined : entries.get(entry)) ?? undefined;
  const reason = misplacement(name, entries, registry !== undefined);
  if (reason) return { problem: new Problem('invalid_name', reason) };
  if (registry) return { registry, policy: policy(name.suffix) };

  const special = specialUseOfName(name.ascii);
  if (special) return { problem: new Problem('unsupported_tld', specialUseText(special)) };
  if (entry !== undefined && whyUnreachable !== undefined)
    return { problem: new Problem('registry_error', whyUnreachable, { isPermanent: true }) };

  return { problem: unsupportedTld(name, entries, entry !== undefined) };
}

/**
 * Returns the entry that may serve a name. A special-use name is served only by an entry of its own:
 * the sandbox, or one of the operator.
 */
export function servingEntryOf(entries: Entries, name: SplitName): string | undefined {
  const entry = entryOf(entries, name);
  const special = specialUseOfName(name.ascii);
  return special && !`.${entry}`.endsWith(`.${special.suffix}`) ? undefined : entry;
}

/** Returns the entry of a name: the longest match by label, else the root (RFC 9224 section 4). */
export function entryOf(entries: Entries, { suffix }: SplitName): string | undefined {
  for (let rest = suffix; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (entries.has(rest)) return rest;
    if (!rest.includes('.')) return entries.has('') ? '' : undefined;
  }
}

/** Returns whether names are registered directly under a suffix, which may be anything. */
export function isSuffixOfNames(suffix: string, entries: Entries): boolean {
  const name = splitName(`name.${suffix}` as DomainName);
  return entryOf(entries, name) !== undefined && !misplacement(name, entries, true);
}

function misplacement(split: SplitName, entries: Entries, isServed: boolean): string | undefined {
  const { ascii: name, suffix } = split;
  const { isIcann, publicSuffix } = parse(name, {
    allowPrivateDomains: false,
    extractHostname: false,
    validateHostname: false,
    detectIp: false,
  });
  const icannSuffix = isIcann ? publicSuffix : undefined;
  if (entries.has(name) || icannSuffix === name)
    return `${name} is a suffix. Names are registered under it.`;
  if (entries.has(suffix) || icannSuffix === suffix || !suffix.includes('.')) return undefined;
  if (isSharedSecondLevel(suffix)) return undefined;

  // The structure of a TLD that is in neither the Public Suffix List nor the directory is unknown.
  if (!isIcann && !isServed) return undefined;

  // The longer one counts: an operator may serve names below a public suffix.
  const suffixes = [icannSuffix ?? '', entryOf(entries, split) ?? ''];
  const depth = Math.max(...suffixes.map((each) => each.split('.').length));
  const lastLabels = (count: number) => name.split('.').slice(-count).join('.');
  const registered = lastLabels(isSharedSecondLevel(lastLabels(2)) ? 3 : depth + 1);

  if (isReverseName(name))
    return `${name} is a reverse zone, which nobody registers. Look it up with reverseZone in GraphQL, or as the query of /v1/rdap.`;

  return `${name} is not a single label under a public suffix. Look up ${registered} instead.`;
}

function unsupportedTld({ ascii, suffix }: SplitName, entries: Entries, exists: boolean): Problem {
  const tld = tldOf(suffix);
  const didYouMean =
    exists || builtInTlds.has(tld)
      ? []
      : similarNames(tld, commonTlds)
          .map((similar) => splitName((ascii.slice(0, -tld.length) + similar) as DomainName))
          .filter((name) => !misplacement(name, entries, true))
          .map((name) => name.ascii);
  const detail =
    didYouMean.length > 0
      ? `.${tld} is not a TLD. Did you mean ${didYouMean.join(' or ')}?`
      : `.${tld} is not a TLD, or the operator of this gateway has disabled its sources.`;

  return new Problem('unsupported_tld', detail, { didYouMean });
}

const commonTlds = tldSets['popular']?.tlds ?? [];

interface EntrySources {
  readonly known: CurrentSources;
  /** Entries of built-in registries, which take precedence over all others. */
  readonly builtIn: Entries;
  readonly registryFor: (sources: SuffixSources) => Registry;
}

/**
 * Returns the entries of the directory, rebuilt when the bootstrap document or the list of TLDs
 * changes. Entries with the same sources share a registry, and unchanged sources retain it with all
 * state.
 */
export function directoryEntries({ known, builtIn, registryFor }: EntrySources): () => Entries {
  const registries = new Map<string, Registry>();

  function registryOf(sources: SuffixSources): Registry | null {
    if (!sources.rdap && !sources.das && !sources.whois && !sources.dns) return null;
    return getOrInsert(registries, JSON.stringify(sources), () => registryFor(sources));
  }

  let from: CurrentSources['current'] | undefined;
  let entries: Entries = builtIn;

  return () => {
    const { current } = known;
    if (from === current) return entries;

    const listed = Array.from(
      entrySuffixes(current),
      (entry) => [entry, registryOf(suffixSources(entry, current))] as const,
    );
    entries = new Map([...listed, ...builtIn]);
    from = current;

    return entries;
  };
}
