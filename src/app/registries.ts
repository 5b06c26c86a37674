import { readCache, type CacheContext } from '../cache/read-through.ts';
import type { StoredAnswer } from '../cache/store.ts';
import type { BootstrapLoader } from '../directory/bootstrap-loader.ts';
import type { Service, Services } from '../directory/bootstrap-parser.ts';
import { entryOf, type Entries } from '../directory/directory.ts';
import { suffixPolicy } from '../directory/registrable-suffixes.ts';
import { directoryEntries } from '../directory/service-map.ts';
import { splitName, type DomainName } from '../domain/domain-name.ts';
import type { Registry, Source } from '../domain/source.ts';
import { cachedRegistry } from '../sources/cached.ts';
import { canaryCheckedSource, lookUpCanary } from '../sources/canary/canary-checked.ts';
import { FailedNames, withoutFailedNames } from '../sources/failed-names.ts';
import { MissingNames } from '../sources/canary/missing-names.ts';
import { RdapSource } from '../sources/rdap/rdap-source.ts';
import { RegistryState } from '../sources/registry-state.ts';
import { RetryingSource } from '../sources/retrying.ts';
import { ThrottledSource } from '../sources/throttled.ts';
import type { Stores } from '../storage/open.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Common } from './common.ts';
import type { QueryOptions } from './throttle.ts';

interface RegistryOptions {
  readonly common: Common;
  readonly query: QueryOptions;
  readonly bootstrap: BootstrapLoader;
  readonly overrides: Services;
  /** Registries that run in this process. */
  readonly builtIn: Entries;
  readonly cache: Omit<CacheContext, 'trustsAvailable'>;
}

/**
 * The policy for servers whose "not found" is proof under all suffixes, or is verified otherwise.
 */
export const trustsEvery404 = {
  trustsNotFound: () => true,
  recordFound: () => {},
  recordMismatch: () => {},
};

/**
 * Returns a wrapper that adds a cache. One read covers the names of all registries that share it.
 */
export function cacheWrapper(cache: CacheContext, tracing: Tracing): (source: Source) => Registry {
  const read = tracing.cacheReads((queries) => readCache(cache, queries));
  return (source) => tracing.lookups(cachedRegistry(tracing.withinLookups(source), cache, read));
}

/** Loads the stored state of registries. Canaries are looked up through the host queues. */
export async function loadRegistryState(
  { clock, log }: Common,
  { answers }: Stores,
  query: QueryOptions,
): Promise<RegistryState> {
  const server = (baseUrl: string) =>
    new ThrottledSource(new RdapSource({ baseUrl, ...trustsEvery404 }, query), query);
  return RegistryState.load({
    store: answers,
    lookUpCanary: (baseUrl, canary) =>
      lookUpCanary(server(baseUrl), canary, clock.now() + query.timeoutMs),
    clock,
    log,
  });
}

/** The registries of the bootstrap document and the overrides, and the built-in ones. */
export class Registries {
  /** Returns the registries by suffix. */
  readonly entries: () => Entries;
  readonly #options: RegistryOptions;
  readonly #state: RegistryState;
  readonly #withCache: (source: Source) => Registry;
  readonly #missingNames = new MissingNames();
  readonly #failedNames: FailedNames;

  constructor(options: RegistryOptions, state: RegistryState) {
    const { common, bootstrap, overrides, builtIn, cache } = options;
    this.#options = options;
    this.#state = state;
    this.#failedNames = new FailedNames(common.clock);
    this.#withCache = cacheWrapper(
      { ...cache, trustsAvailable: (stored) => this.#trustsAvailable(stored) },
      common.tracing,
    );
    const registryFor = (service: Service) => this.#registryFor(service);
    this.entries = directoryEntries({
      bootstrap: () => bootstrap.current(),
      overrides,
      builtIn,
      registryFor,
    });
  }

  #registryFor({ baseUrls: [first, ...others], trust404 }: Service): Registry {
    const { timeoutMs, clock } = this.#options.query;
    const server = (baseUrl: string) => this.#server(baseUrl, trust404);
    const retrying = new RetryingSource([server(first), ...others.map(server)], timeoutMs, clock);
    return this.#withCache(withoutFailedNames(retrying, this.#failedNames));
  }

  #server(baseUrl: string, trust404: boolean): Source {
    const { query } = this.#options;
    const bySuffix = suffixPolicy(
      baseUrl,
      (suffix) => this.entries().has(suffix),
      this.#state.suffixes,
    );
    const policy = trust404 ? bySuffix : { ...bySuffix, trustsNotFound: () => false };
    const monitorOf = (name: DomainName) => this.#monitorOf(baseUrl, name);
    const recordMismatch = (name: DomainName) => monitorOf(name).discardAvailable();
    const throttled = new ThrottledSource(
      new RdapSource({ baseUrl, recordMismatch, ...policy }, query),
      query,
    );
    return canaryCheckedSource(throttled, {
      monitorOf,
      missingNames: this.#missingNames,
      timeoutMs: query.timeoutMs,
      clock: query.clock,
    });
  }

  /** Returns whether the server still serves the name and its 404s are still trusted. */
  #trustsAvailable({ name, endpoint, checkedAt }: StoredAnswer): boolean {
    const { overrides, bootstrap } = this.#options;
    const entry = entryOf(this.entries(), name) ?? '';
    const service = overrides.get(entry) ?? bootstrap.current().get(entry);
    const isServed = service?.trust404 === true && service.baseUrls.includes(endpoint);
    return isServed && this.#monitorOf(endpoint, name).trustsCached(checkedAt);
  }

  #monitorOf(baseUrl: string, name: DomainName) {
    return this.#state.canaryMonitor(
      baseUrl,
      entryOf(this.entries(), name) || splitName(name).suffix,
    );
  }
}
