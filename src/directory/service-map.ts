import type { Registry } from '../domain/source.ts';
import { derived } from '../memoize.ts';
import type { Service, Services } from './bootstrap-parser.ts';
import type { Entries } from './directory.ts';

interface EntrySources {
  /** Returns the current bootstrap document. */
  readonly bootstrap: () => Services;
  /** Overrides by the operator, which take precedence over it. */
  readonly overrides: Services;
  /** Entries of built-in registries, which take precedence over both. */
  readonly builtIn: Entries;
  readonly registryFor: (service: Service) => Registry;
}

/**
 * Returns the entries of the directory, rebuilt when the bootstrap document changes. An unchanged
 * service retains its registry with all state.
 */
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
