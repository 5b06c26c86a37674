import { cacheWrapper } from './cache/cache-wrapper.ts';
import { DoubtedNames } from './cache/freshness.ts';
import type { CacheContext, StoredVerdict } from './cache/read-through.ts';
import type { Service } from './directory/bootstrap-parser.ts';
import { entryOf, type Entries, directoryEntries } from './directory/directory.ts';
import {
  suffixPolicy,
  type CurrentSources,
  type SuffixSources,
  type WhoisEndpoint,
} from './directory/suffix-sources.ts';
import type { SplitName } from '../domain/names/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import { isFromRdap, sourceKindOf, type SourceKind } from '../domain/answer.ts';
import type { CachedSource, Detail, NameQuery, Registry, Source } from '../domain/source.ts';
import { canaryCheckedSource, MissingNames, withPatience } from './proof/canary-checked.ts';
import type { CanaryRefresh } from './proof/canary-refresh.ts';
import { combinedSource } from './combined.ts';
import { FailedNames, withoutFailedNames } from './failed-names.ts';
import type { NetworkStatus } from './network-status.ts';
import { rdapSource } from './rdap/rdap-source.ts';
import { sourceInfos, type RegistrySource } from './registry-sources.ts';
import type { RegistryState } from './proof/registry-state.ts';
import type { SourceFacts } from './source-facts.ts';
import { retryingSource } from './retrying.ts';
import { withSecondLevel } from './shared-second-level.ts';
import { throttledSource } from './throttled.ts';
import { withWhoisExpiry } from './whois-expiry.ts';
import { hasControls, type ControlledServers } from './controlled-servers.ts';
import type { QueryOptions } from './query-options.ts';

interface RegistryOptions {
  readonly query: QueryOptions;
  readonly known: CurrentSources;
  readonly policyOf: (suffix: string) => Policy;
  readonly controlled: ControlledServers;
  readonly dns: Source;
  readonly network: NetworkStatus;
  readonly canaryRefresh: CanaryRefresh;
  /** Registries that run in this process. */
  readonly builtIn: Entries;
  readonly cache: Omit<CacheContext, 'isUsable'>;
}

/** The directory entry of a name, and the sources that serve its suffix. */
interface Place {
  readonly suffix: string;
  readonly entry: string | undefined;
  readonly rdap: Service | undefined;
  readonly das: SuffixSources['das'];
  readonly whois: WhoisEndpoint | undefined;
  /** Whether the zone is queried. Undefined for a name without a registry. */
  readonly dns: boolean | undefined;
}

/**
 * Returns whether an answer of a server has a level of detail, if RDAP has it: the registration in
 * a reply of WHOIS is used only where there is no RDAP.
 */
export function hasDetail(endpoint: string, detail: Detail): boolean {
  return detail === 'verdict' || isFromRdap(endpoint);
}

/** The registries of all TLDs, each with its sources, and the built-in ones. */
export class Registries {
  /** Returns the registries by suffix. */
  readonly entries: () => Entries;
  readonly doubtedNames: DoubtedNames;
  readonly #options: RegistryOptions;
  readonly #state: RegistryState;
  readonly #withCache: (source: Source) => CachedSource;
  readonly #sources = new WeakMap<Registry, SuffixSources>();
  readonly #missingNames = new MissingNames();
  /** The names that failed at their registry and in the DNS. */
  readonly #failedNames: FailedNames;
  readonly #failedAtRegistry: FailedNames;

  constructor(options: RegistryOptions, state: RegistryState) {
    const { query, known, builtIn, cache } = options;
    this.#options = options;
    this.#state = state;
    this.doubtedNames = new DoubtedNames(query.clock);
    this.#failedNames = new FailedNames(query.clock);
    this.#failedAtRegistry = new FailedNames(query.clock);
    this.#withCache = cacheWrapper(
      {
        ...cache,
        isUsable: (...stored) => this.#isUsable(...stored),
        doubtedNames: this.doubtedNames,
      },
      query.tracing,
    );
    const registryFor = (sources: SuffixSources) => this.registryFor(sources);
    this.entries = directoryEntries({ known, builtIn, registryFor });
  }

  /** Returns the sources of a name, and what has been learned about them; undefined without any. */
  factsOf(name: SplitName): SourceFacts | undefined {
    const { entry, rdap, das, whois, dns } = this.#placeOf(name);
    if (entry === undefined || dns === undefined) return undefined;

    const { known, query } = this.#options;
    const { dns: servers } = known.current.settings.of(name.suffix);
    const learned = (rdap?.baseUrls ?? []).map((baseUrl) => ({
      baseUrl,
      canaries: this.#monitorOf(baseUrl, name).canaries,
      mustFind: this.#monitorOf(baseUrl, name).mustFind,
      hasFoundSuffix: this.#state.suffixes.has(name.suffix, baseUrl),
    }));
    const isTrusted = (url: string) => this.#monitorOf(url, name).trustsCached(query.clock.now());
    return {
      entry,
      rdap: rdap && { ...rdap, trust404: rdap.trust404 && rdap.baseUrls.every(isTrusted) },
      das,
      whois,
      dns: servers === null ? undefined : { servers },
      learned,
    };
  }

  /** Returns a registry with these sources, whose names are under the suffixes of one entry. */
  registryFor(sources: SuffixSources): Registry {
    const { query, known, dns, network } = this.#options;
    const registries = this.#registrySources(sources);
    const combined = combinedSource({
      registries,
      dnsOf: ({ suffix }) => (known.current.settings.of(suffix).dns === null ? undefined : dns),
      failedNames: this.#failedAtRegistry,
      timeoutMs: query.timeoutMs,
      clock: query.clock,
    });
    // The client rejects plain `http:`, so clients must not see such a server as a source.
    const queried = registries.filter(
      ({ source }) => query.allowPrivate || !source.id.startsWith('http:'),
    );
    const searched = this.#recordingSearches(
      this.#withExpiry(withSecondLevel(combined), sources),
      sources,
    );
    const source = withoutFailedNames(network.observed(searched), this.#failedNames);
    const registry = { ...this.#withCache(source), sources: sourceInfos(queried, sources.dns) };
    this.#sources.set(registry, sources);
    return registry;
  }

  /**
   * Adds that the canaries of a TLD are kept fresh while it is searched: if the DNS answers for the
   * registered names, the server finds none of them for callers.
   */
  #recordingSearches(source: Source, { rdap }: SuffixSources): Source {
    if (!rdap?.trust404) return source;
    const [baseUrl] = rdap.baseUrls;
    const { origin } = new URL(baseUrl);
    return {
      id: source.id,
      lookup: (query, request) => {
        if (query.confirm === 'AVAILABLE')
          this.#options.canaryRefresh.recordSearch(origin, this.#monitorOf(baseUrl, query.name));
        return source.lookup(query, request);
      },
    };
  }

  /**
   * Returns the sources of a registry in order of preference: listed RDAP, DAS, other RDAP, WHOIS.
   */
  #registrySources({ rdap, das, whois }: SuffixSources): readonly RegistrySource[] {
    const { controlled, query } = this.#options;
    const patient = (source: Source) => withPatience(source, this.#missingNames, query.clock);
    const ofRdap = rdap && {
      kind: 'rdap' as const,
      source: this.#rdap(rdap),
      requiresDns: !rdap.isListed,
      trustsNotFound: rdap.trust404,
    };
    const ofDas = das && {
      kind: 'das' as const,
      source: patient(controlled.das(das)),
      requiresDns: false,
      trustsNotFound: true,
      controlsOf: () => controlled.das(das),
      // Its controls show nothing about longer suffixes, which others may operate, such as `ac.be`.
      serves: (suffix: string) => suffix === das.tld,
    };
    const ofWhois = whois &&
      !whois.service.completesExpiry && {
        kind: 'whois' as const,
        source: patient(controlled.whois(whois)),
        requiresDns: true,
        trustsNotFound: hasControls(whois),
        controlsOf: ({ suffix }: SplitName) => controlled.whoisUnder(whois, suffix),
        serves: (suffix: string) => this.#servesByWhois(whois, suffix),
      };
    const rdapAndDas = rdap?.isListed ? [ofRdap, ofDas] : [ofDas, ofRdap];
    return [...rdapAndDas, ofWhois].filter((source) => source !== undefined && source !== false);
  }

  #withExpiry(source: Source, { whois }: SuffixSources): Source {
    if (!whois?.service.completesExpiry) return source;
    return withWhoisExpiry(source, {
      source: this.#options.controlled.whois(whois),
      serves: (suffix) => this.#isInUse(whois, suffix),
      clock: this.#options.query.clock,
    });
  }

  #servesByWhois(whois: WhoisEndpoint, suffix: string): boolean {
    return !whois.service.completesExpiry && this.#isInUse(whois, suffix);
  }

  #isInUse({ service }: WhoisEndpoint, suffix: string): boolean {
    const { settings } = this.#options.known.current;
    return (service.suffixes?.includes(suffix) ?? true) && settings.of(suffix).whois !== null;
  }

  #rdap(service: Service): Source {
    const { timeoutMs, clock } = this.#options.query;
    const [first, ...others] = service.baseUrls;
    const server = (baseUrl: string) => this.#server(baseUrl, service);
    return retryingSource([server(first), ...others.map(server)], timeoutMs, clock);
  }

  #server(baseUrl: string, { trust404, isListed }: Service): Source {
    const { query, policyOf } = this.#options;
    const bySuffix = suffixPolicy(
      baseUrl,
      (suffix) => this.entries().has(suffix),
      this.#state.suffixes,
    );
    const policy = trust404 ? bySuffix : { ...bySuffix, trustsNotFound: () => false };
    const monitorOf = (name: SplitName) => this.#monitorOf(baseUrl, name);
    const recordMismatch = (name: SplitName) => monitorOf(name).discardAvailable();
    const throttled = throttledSource(
      rdapSource({ baseUrl, recordMismatch, ...policy }, query),
      query,
    );
    return canaryCheckedSource(throttled, {
      monitorOf,
      missingNames: this.#missingNames,
      sellsSuffixOf: bySuffix.trustsNotFound,
      mayBeAvailable: ({ suffix }) => policyOf(suffix).kind !== 'BRAND',
      requiresCanary: !isListed,
      timeoutMs: query.timeoutMs,
      clock: query.clock,
    });
  }

  /**
   * Returns whether a stored answer suffices for a query. It does not if it is of the zone although
   * the query wants that of a registry, which the TLD has, or if it lacks a record that a source of
   * the name has. An AVAILABLE also requires that its server still serves the name and is trusted.
   */
  #isUsable(stored: StoredVerdict, { name, detail, confirm }: NameQuery): boolean {
    const { verdict, endpoint, registration } = stored;
    const kind = sourceKindOf(endpoint);
    const isConfirmed = kind !== 'dns' || confirm === 'AVAILABLE';
    // An unregistered name has no record.
    const hasRecord = verdict === 'AVAILABLE' || hasDetail(endpoint, detail);
    if (isConfirmed && hasRecord && verdict !== 'AVAILABLE') return true;

    const place = this.#placeOf(name);
    const { rdap, das, whois } = place;
    if (!isConfirmed && (rdap || das || whois)) return false;

    const wantsWhois = verdict === 'REGISTERED' && !registration && detail !== 'rdap';
    const hasWhoisRecord = wantsWhois && kind !== 'das' && whois?.service.format.record;
    if (!hasRecord && (rdap || hasWhoisRecord)) return false;

    return verdict !== 'AVAILABLE' || this.#isTrusted(kind, stored, place);
  }

  /** Returns whether the server of an AVAILABLE still serves the name and is still trusted. */
  #isTrusted(kind: SourceKind, { endpoint, checkedAt }: StoredVerdict, place: Place): boolean {
    const { controlled } = this.#options;
    const { suffix, entry, rdap, das, whois } = place;
    if (kind === 'das')
      return das !== undefined && controlled.das(das).trustsCached(endpoint, checkedAt);
    if (kind === 'whois')
      return !!whois && controlled.whoisUnder(whois, suffix).trustsCached(endpoint, checkedAt);
    const isServed = rdap?.trust404 === true && rdap.baseUrls.includes(endpoint);
    return isServed && this.#state.canaryMonitor(endpoint, entry || suffix).trustsCached(checkedAt);
  }

  /** Returns the directory entry of a name, and the sources that serve its suffix. */
  #placeOf(name: SplitName): Place {
    const { suffix } = name;
    const entries = this.entries();
    const entry = entryOf(entries, name);
    const registry = entries.get(entry ?? '');
    const { rdap, das, whois, dns } =
      (registry && this.#sources.get(registry)) ?? ({} as Partial<SuffixSources>);
    const served = whois && this.#servesByWhois(whois, suffix) ? whois : undefined;
    return { suffix, entry, rdap, das: das?.tld === suffix ? das : undefined, whois: served, dns };
  }

  #monitorOf(baseUrl: string, name: SplitName) {
    return this.#state.canaryMonitor(baseUrl, entryOf(this.entries(), name) || name.suffix);
  }
}
