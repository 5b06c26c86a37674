import type { Registry } from '../domain/registry.ts';
import type { Service, Services } from './bootstrap-parser.ts';
import type { Entries } from '../registries/directory.ts';

export interface EntrySources {
  /** IANA's list; it may change. */
  readonly bootstrap: () => Services;
  /** The operator's own, laid over it. */
  readonly overrides: Services;
  /** Entries whose registry is built in, laid over both. */
  readonly builtIn: Entries;
  readonly registryFor: (service: Service) => Registry;
}

/** The directory's entries, made anew when the list changes; a service that stays keeps its registry and all that it knows. */
export function directoryEntries({ bootstrap, overrides, builtIn, registryFor }: EntrySources): () => Entries {
  const registries = new Map<string, Registry>();
  let made: { readonly from: Services; readonly entries: Entries } | undefined;

  function registryOf(service: Service): Registry {
    const key = JSON.stringify(service);
    const registry = registries.get(key) ?? registryFor(service);
    registries.set(key, registry);
    return registry;
  }

  return () => {
    const from = bootstrap();
    if (made?.from === from) return made.entries;
    const served = [...from, ...overrides].map(([entry, service]) => [entry, registryOf(service)] as const);
    made = { from, entries: new Map([...served, ...builtIn]) };
    return made.entries;
  };
}
