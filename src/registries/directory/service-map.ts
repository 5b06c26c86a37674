import type { Registry } from '../../domain/source.ts';
import { derived } from '../../shared/memoize.ts';
import type { Entries } from './directory.ts';
import {
  entrySuffixes,
  suffixSources,
  type KnownSources,
  type SuffixSources,
} from './suffix-sources.ts';

interface EntrySources {
  /** Returns the same object until something changes. */
  readonly known: () => KnownSources;
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
    const key = JSON.stringify(sources);
    const registry = registries.get(key) ?? registryFor(sources);
    registries.set(key, registry);
    return registry;
  }

  return derived(known, (current) => {
    const entries = Array.from(
      entrySuffixes(current),
      (entry) => [entry, registryOf(suffixSources(entry, current))] as const,
    );
    return new Map([...entries, ...builtIn]);
  });
}
