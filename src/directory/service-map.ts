import type { Registry } from '../domain/source.ts';
import { derived } from '../memoize.ts';
import type { Service, Services } from './bootstrap-parser.ts';
import type { Entries } from './directory.ts';

interface EntrySources {
  /** IANA's list; it may change. */
  readonly bootstrap: () => Services;
  /** The operator's own, laid over it. */
  readonly overrides: Services;
  /** Entries whose registry is built in, laid over both. */
  readonly builtIn: Entries;
  readonly registryFor: (service: Service) => Registry;
}

/** Returns the directory's entries, built again when the list changes. A service that stays keeps its registry with all its state. */
export function directoryEntries({
  bootstrap,
  overrides,
  builtIn,
  registryFor,
}: EntrySources): () => Entries {
  const registries = new Map<string, Registry>();

  function registryOf(service: Service): Registry {
    const key = JSON.stringify(service);
    const registry = registries.get(key) ?? registryFor(service);
    registries.set(key, registry);
    return registry;
  }

  return derived(bootstrap, (services) => {
    const serviceRegistries = [...services, ...overrides].map(
      ([entry, service]) => [entry, registryOf(service)] as const,
    );
    return new Map([...serviceRegistries, ...builtIn]);
  });
}
