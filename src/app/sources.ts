import { answerRetentionSeconds } from '../registries/cache/freshness.ts';
import type { CacheContext } from '../registries/cache/read-through.ts';
import { SingleFlight } from '../registries/cache/single-flight.ts';
import { nameForm, recordForm } from '../registries/cache/stored-forms.ts';
import { BootstrapLoader } from '../registries/directory/bootstrap-loader.ts';
import { createDirectory } from '../registries/directory/directory.ts';
import { createCatalogue } from '../registries/directory/tld-catalogue.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Extension } from '../domain/extension.ts';
import type { Directory, ObjectDirectory, RegistrarRecords } from '../domain/directory.ts';
import type { RdapRecord } from '../domain/answer.ts';
import type { NameQuery } from '../domain/source.ts';
import type { DnsSource } from '../registries/dns/dns-source.ts';
import { NetworkStatus } from '../registries/network-status.ts';
import { createRegistrarRecords } from '../registries/registrar-records.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import type { LookupStores } from '../storage/open.ts';
import type { InstrumentedQueues } from '../outbound/queues/instrumented-queues.ts';
import type { Common } from './common.ts';
import { ObjectRegistries, type ObjectCache } from './object-registries.ts';
import { loadRegistryState, Registries } from './registries.ts';
import { buildSites } from './site-readers.ts';
import { ControlledServers } from './controlled-servers.ts';
import { buildDns } from './dns.ts';
import { buildSandbox } from './sandbox.ts';
import { buildThrottle, queryOptions, type QueryOptions, type Throttle } from './throttle.ts';
import { readBootstrap, readOverrides } from '../registries/directory/bootstrap-parser.ts';
import {
  namedOrigins,
  knownSources,
  type KnownSources,
} from '../registries/directory/suffix-sources.ts';
import { PublishedFields } from '../registries/directory/published-fields.ts';
import { policiesWith } from '../registries/directory/policies.ts';
import { ObjectBootstraps } from '../registries/directory/object-bootstraps.ts';
import { noSourceSettings, parseSourcesFile } from '../registries/directory/sources-file.ts';
import { builtInTlds, TldListLoader, tldListUrl } from '../registries/directory/tld-list.ts';
import { createClients, type Clients } from './clients.ts';
import { isReachable, reachableSources } from './outbound-proxy.ts';
import { readSetting } from './settings.ts';

export interface Sources {
  readonly directory: Directory;
  readonly objects: ObjectDirectory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly bootstrap: BootstrapLoader;
  readonly network: NetworkStatus;
  /** Settles after the first attempts to load the TLDs, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
  readonly dns: DnsSource;
  readonly controlled: ControlledServers;
  readonly publishedFields: PublishedFields;
  readonly extensions: readonly Extension[];
  readonly queues: InstrumentedQueues;
  /** Returns the number of lookups in flight at registries. */
  readonly inFlight: () => number;
  /** Fails the lookups that are still in flight. */
  stop(): void;
}

/** About 30 MB; records of a hostile registrar may take 1 MB each. */
const maxRegistrarCharacters = 30_000_000;
const registrarRecordRetentionSeconds = 60 * 60;

/**
 * Builds the directory and the sources with their cache, canary checks, retries and queues.
 * `startupIntervalMs` is that of `LoaderOptions`.
 */
export async function buildSources(
  common: Common,
  stores: LookupStores,
  startupIntervalMs?: number,
): Promise<Sources> {
  const { known, clients, bootstrap, objectBootstraps, settled } = await buildKnownSources(
    common,
    stores,
    startupIntervalMs,
  );
  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle);
  const cache = cacheOf(common, stores);
  const objectCache = objectCacheOf(common, cache);
  const builtIn = await buildSandbox(common, clients, query, cache, objectCache);
  const state = await loadRegistryState(common, stores, query);
  const dns = buildDns(common, known, query);
  const controlled = new ControlledServers(common, stores, query);
  const network = new NetworkStatus(common.clock, [bootstrap, dns]);
  const policyOf = policiesWith(known().settings);
  const registries = new Registries(
    {
      common,
      query,
      known,
      policyOf,
      controlled,
      dns,
      network,
      builtIn: builtIn.bySuffix,
      cache,
    },
    state,
  );
  const { entries } = registries;
  const publishedFields = new PublishedFields(common.clock);
  const objects = new ObjectRegistries({
    common,
    query,
    bootstraps: objectBootstraps,
    known,
    entries,
    cache: objectCache,
    sandbox: builtIn.objects,
  });
  const registrarCache = registrarCacheOf(common, cache);
  return {
    directory: createDirectory(entries, policyOf),
    objects,
    registrars: registrarsWith(query, throttle, registrarCache),
    catalogue: createCatalogue({
      entries,
      tlds: () => known().tlds,
      policyOf,
      publishedFields,
      healthOf: (baseUrl) => throttle.hostQueues.registryQueue(baseUrl).status(),
      bootstrap: () => bootstrap.info(),
      isNetworkReachable: () => network.isReachable,
    }),
    bootstrap,
    network,
    settled,
    dns,
    controlled,
    publishedFields,
    extensions: [await buildSites(common)],
    queues: throttle.queues,
    inFlight: () => cache.singleFlight.size + objectCache.singleFlight.size,
    stop: () => {
      for (const { singleFlight } of [cache, objectCache, registrarCache]) singleFlight.stop();
    },
  };
}

function cacheOf(
  { config, clock, log }: Common,
  { answers: store }: LookupStores,
): Omit<CacheContext, 'isUsable'> {
  return {
    store,
    form: nameForm,
    singleFlight: new SingleFlight(clock),
    clock,
    log,
    storesRecords: config.RECORD_DAYS > 0,
    retentionSeconds: answerRetentionSeconds,
  };
}

/** Returns the cache of objects other than domains, in the same store. */
function objectCacheOf({ clock }: Common, cache: Omit<CacheContext, 'isUsable'>): ObjectCache {
  return {
    ...cache,
    form: recordForm,
    singleFlight: new SingleFlight(clock),
    isUsable: () => true,
  };
}

/**
 * Returns a separate cache for registrars' records, so that they are never mistaken for the
 * registry's.
 */
function registrarCacheOf(
  { config, clock }: Common,
  cache: Omit<CacheContext, 'isUsable'>,
): CacheContext<NameQuery, RdapRecord | null> {
  return {
    ...cache,
    // Registrar records are mostly contacts. If those may not be stored, the size limit rejects
    // every record.
    store: new MemoryAnswers(config.RECORD_DAYS > 0 ? maxRegistrarCharacters : 1),
    form: recordForm,
    singleFlight: new SingleFlight(clock),
    retentionSeconds: registrarRecordRetentionSeconds,
    isUsable: () => true,
  };
}

function registrarsWith(
  query: QueryOptions,
  { queues }: Throttle,
  cache: CacheContext<NameQuery, RdapRecord | null>,
): RegistrarRecords {
  const queueOf = (url: string) => queues.registrarQueue(url);
  return createRegistrarRecords({ ...query, queueOf, redirectQueueOf: queueOf, cache });
}

/** What is known about the sources of all suffixes, and the clients that may query them. */
interface SourceKnowledge {
  readonly known: () => KnownSources;
  readonly clients: Clients;
  readonly bootstrap: BootstrapLoader;
  /**
   * Returns the bootstrap documents of objects besides domains. The first call starts to load them: a
   * process that looks up only domains does not need them.
   */
  readonly objectBootstraps: () => ObjectBootstraps;
  /** Settles after the first attempts to load both lists, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
}

/**
 * Reads the operator's files, and starts loading the bootstrap document and the list of TLDs.
 * Rejects with `ConfigError` if a file is invalid. `startupIntervalMs` is that of `LoaderOptions`.
 */
async function buildKnownSources(
  common: Common,
  stores: LookupStores,
  startupIntervalMs?: number,
): Promise<SourceKnowledge> {
  const { config, clock, log, disposables } = common;
  await checkBootstrapFile(config.RDAP_BOOTSTRAP_URL);
  const configured = await readConfigured(common);
  const known = knownSources(
    () => bootstrap.current(),
    () => tldList?.current() ?? builtInTlds,
    configured,
  );
  const isNamed = namedOrigins(known);
  const clients = createClients(
    common,
    (origin) => isNamed(origin) || objects?.names(origin) === true,
  );
  const interval = startupIntervalMs === undefined ? {} : { startupIntervalMs };
  const loading = { client: clients.bootstrap, store: stores.answers, clock, log, ...interval };
  const bootstrap = disposables.adopt(
    new BootstrapLoader({ ...loading, url: config.RDAP_BOOTSTRAP_URL }),
    (loader) => loader.stop(),
  );
  const listUrl = tldListUrl(config.RDAP_BOOTSTRAP_URL);
  const tldList =
    listUrl === undefined
      ? undefined
      : disposables.adopt(new TldListLoader({ ...loading, url: listUrl }), (list) => list.stop());
  let objects: ObjectBootstraps | undefined;
  const objectBootstraps = () =>
    (objects ??= new ObjectBootstraps({ ...loading, url: config.RDAP_BOOTSTRAP_URL }));
  disposables.defer(() => objects?.stop());
  const settled = Promise.all([bootstrap.settled, tldList?.settled]);
  return { known, clients, bootstrap, objectBootstraps, settled };
}

/**
 * Rejects with `ConfigError` if the bootstrap document is a file that cannot be used. A server may
 * be unavailable for a while, but a file that is missing at startup is a mistake.
 */
async function checkBootstrapFile(url: string): Promise<void> {
  if (url.startsWith('file:'))
    await readSetting('RDAP_BOOTSTRAP_URL', new URL(url), readBootstrap, undefined);
}

async function readConfigured({
  config,
}: Common): Promise<Omit<KnownSources, 'bootstrap' | 'tlds'>> {
  const settings = await readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSourcesFile(document, config.RDAP_ALLOW_PRIVATE),
    noSourceSettings,
  );
  return {
    usesWhois: config.WHOIS && isReachable(config, 'whois'),
    overrides: await readSetting('RDAP_OVERRIDES', config.RDAP_OVERRIDES, readOverrides, new Map()),
    settings: config.OUTBOUND_PROXY ? reachableSources(settings, config) : settings,
  };
}
