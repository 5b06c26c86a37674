import type { AccuracySample } from '../domain/accuracy.ts';
import type { RdapRecord } from '../domain/answer.ts';
import type { NameQuery } from '../domain/source.ts';
import { answerRetentionSeconds } from '../registries/cache/freshness.ts';
import type { CacheContext } from '../registries/cache/read-through.ts';
import { SingleFlight } from '../registries/cache/single-flight.ts';
import { nameForm, recordForm } from '../registries/cache/store.ts';
import type { HttpClient } from '../outbound/client.ts';
import { BootstrapLoader } from '../registries/directory/bootstrap-parser.ts';
import type { LoaderOptions } from '../registries/directory/document-loader.ts';
import { createDirectory } from '../registries/directory/directory.ts';
import { ObjectBootstraps } from '../registries/directory/object-bootstraps.ts';
import {
  Policies,
  builtInTlds,
  loadTldList,
  tldListUrl,
} from '../registries/directory/tld-list.ts';
import { PublishedFields, createCatalogue } from '../registries/directory/tld-catalogue.ts';
import {
  namedOrigins,
  type CurrentSources,
  type KnownSources,
} from '../registries/directory/suffix-sources.ts';
import { DnsSource } from '../registries/dns/dns-source.ts';
import { NetworkStatus } from '../registries/network-status.ts';
import { CanaryRefresh } from '../registries/proof/canary-refresh.ts';
import { sampleNames } from '../registries/proof/canary-names.ts';
import { maxUnverifiedPerNode } from '../registries/proof/canary-state.ts';
import { createRegistrarRecords } from '../registries/registrar-records.ts';
import type { QueryOptions } from '../registries/query-options.ts';
import { throttledSource } from '../registries/throttled.ts';
import type { KeyValueStore } from '../shared/key-value-store.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import type { LookupStores } from '../storage/open.ts';
import { createClients } from './clients.ts';
import type { Common } from './common.ts';
import { ControlledServers } from '../registries/controlled-servers.ts';
import { ObjectRegistries, type ObjectCache } from '../registries/object-registries.ts';
import { loadRegistryState } from '../registries/load-registry-state.ts';
import { Registries } from '../registries/registries.ts';
import { buildTimelines, readBootstrapFile, readConfigured, readOffers } from './operator-files.ts';
import { buildSandbox } from './sandbox.ts';
import { buildSites } from './sites.ts';
import { buildThrottle, queryOptions } from './throttle.ts';

export type Sources = Awaited<ReturnType<typeof buildSources>>;

/**
 * Builds the directory and the sources with their cache, canary checks, retries and queues.
 * `LoaderOptions` describes `startupIntervalMs`.
 */
export async function buildSources(
  common: Common,
  stores: LookupStores,
  startupIntervalMs?: number,
) {
  const known = await SourceLists.read(common);
  const offersOf = await readOffers(common.config.OFFERS_FILE, known.current);
  const clients = createClients(common, (origin) => known.names(origin));
  const { bootstrap, settled } = known.load(clients.bootstrap, stores.answers, startupIntervalMs);
  const timelines = await buildTimelines(common.config);

  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle.queues);
  const caches = cachesOf(common, stores);
  const builtIn = await buildSandbox(common, clients, query, caches.names, caches.objects);

  const state = await loadRegistryState(stores.answers, query);
  const dns = buildDns(common, known, query);
  const controlled = new ControlledServers(stores.answers, query);
  const network = new NetworkStatus(common.clock, [bootstrap, dns]);
  const policyOf = (suffix: string) => known.policies.of(suffix);
  const canaryRefresh = common.disposables.use(new CanaryRefresh(common.clock, query.queueOf));

  const registries = new Registries(
    {
      query,
      known,
      policyOf,
      controlled,
      dns,
      network,
      canaryRefresh,
      builtIn: builtIn.bySuffix,
      cache: caches.names,
    },
    state,
  );

  const { entries } = registries;
  const publishedFields = new PublishedFields(common.clock);
  const accuracy: AccuracySample = { rows: [] };

  const objects = new ObjectRegistries({
    query,
    bootstraps: () => known.objectBootstraps(),
    known,
    entries,
    cache: caches.objects,
    sandbox: builtIn.objects,
  });

  const hostStatus = (endpoint: string) => throttle.hostQueues.registryQueue(endpoint).status();
  const registrarQueueOf = (url: string) => throttle.queues.registrarQueue(url);

  return {
    directory: createDirectory(
      entries,
      policyOf,
      common.config.OUTBOUND_PROXY &&
        'The sources of this TLD do not pass the proxy of the gateway (OUTBOUND_DIRECT).',
    ),
    objects,
    registrars: createRegistrarRecords({
      ...query,
      queueOf: registrarQueueOf,
      redirectQueueOf: registrarQueueOf,
      cache: caches.registrars,
    }),
    catalogue: createCatalogue({
      clock: common.clock,
      entries,
      tlds: () => known.current.tlds,
      policyOf,
      offersOf,
      accuracy: () => accuracy.rows,
      publishedFields,
      healthOf: hostStatus,
      bootstrap: () => bootstrap.info(),
      isNetworkReachable: () => network.isReachable,
    }),
    timelines,
    /** The client for the issuer of access tokens. */
    issuerClient: clients.issuer,
    /** What a lookup that records what it sees is made of. */
    recording: { registries, sandbox: builtIn, routes: clients.routes, query, policyOf },
    bootstrap,
    network,
    settled,
    dns,
    controlled,
    publishedFields,
    accuracy,
    extensions: [await buildSites(common)],
    queues: throttle.queues,
    watchIntervalOf: throttle.watchIntervalOf,
    hostStatus,
    /** Returns how far each server of a registry is trusted, for each of its suffixes. */
    trust: () => [...state.trust(), ...controlled.trust()],
    /** Returns the number of lookups in flight at registries. */
    inFlight: () => caches.names.singleFlight.size + caches.objects.singleFlight.size,
    /** Fails the lookups that are still in flight. */
    stop: () => {
      for (const { singleFlight } of Object.values(caches)) singleFlight.stop();
    },
  };
}

/** About 30 MB; records of a hostile registrar may take 1 MB each. */
const maxRegistrarCharacters = 30_000_000;
const registrarRecordRetentionSeconds = 60 * 60;

function cachesOf({ config, clock, log }: Common, { answers: store }: LookupStores) {
  const shared = { clock, log, storesRecords: config.RECORD_DAYS > 0 };
  const names: Omit<CacheContext, 'isUsable'> = {
    ...shared,
    store,
    form: nameForm,
    singleFlight: new SingleFlight(clock),
    retentionSeconds: answerRetentionSeconds,
  };

  /** The cache of objects other than domains has the same store. */
  const objects: ObjectCache = {
    ...names,
    form: recordForm,
    singleFlight: new SingleFlight(clock),
    isUsable: () => true,
  };

  /** Records of registrars have a store of their own: none is mistaken for the registry's. */
  const registrars: CacheContext<NameQuery, RdapRecord | null> = {
    ...shared,
    // Registrar records are mostly contacts. If those may not be stored, the size limit rejects
    // every record.
    store: new MemoryAnswers(shared.storesRecords ? maxRegistrarCharacters : 1),
    form: recordForm,
    singleFlight: new SingleFlight(clock),
    retentionSeconds: registrarRecordRetentionSeconds,
    isUsable: () => true,
  };
  return { names, objects, registrars };
}

/** What is known about sources: what the operator states, and the lists of IANA as they are loaded. */
class SourceLists implements CurrentSources {
  current: KnownSources;
  readonly policies: Policies;
  readonly #common: Common;
  readonly #isNamed = namedOrigins(this);
  #bootstrap: BootstrapLoader | undefined;
  #tlds: ReturnType<typeof loadTldList> | undefined;
  #loading: LoaderOptions | undefined;
  #objects: ObjectBootstraps | undefined;

  private constructor(common: Common, stated: KnownSources) {
    this.#common = common;
    this.current = stated;
    this.policies = new Policies(stated.settings, () => common.clock.now());
  }

  /** Reads the operator's files. Rejects with `ConfigError` if one is invalid. */
  static async read(common: Common): Promise<SourceLists> {
    const bootstrap = await readBootstrapFile(common.config.RDAP_BOOTSTRAP_URL);
    const configured = await readConfigured(common);
    return new SourceLists(common, { bootstrap, tlds: builtInTlds, ...configured });
  }

  /** Starts loading the bootstrap document and the list of TLDs. */
  load(client: HttpClient, store: KeyValueStore, startupIntervalMs: number | undefined) {
    const { config, clock, log, disposables } = this.#common;
    const { RDAP_BOOTSTRAP_URL: url } = config;
    const onChange = () => this.#update();
    const loading = { client, store, clock, log, startupIntervalMs, url };
    const listUrl = tldListUrl(url);

    const bootstrap = new BootstrapLoader({ ...loading, onChange });
    const tlds =
      listUrl === undefined ? undefined : loadTldList({ ...loading, onChange, url: listUrl });
    disposables.defer(() => {
      for (const loader of [this.#objects, tlds, bootstrap]) loader?.stop();
    });
    this.#loading = loading;
    this.#bootstrap = bootstrap;
    this.#tlds = tlds;
    this.#update();

    /** Settles after the first attempts to load both lists, or after two seconds. Never rejects. */
    const settled: Promise<unknown> = Promise.all([bootstrap.settled, tlds?.settled]);
    return { bootstrap, settled };
  }

  /** Loads the documents with the first call: a process that looks up only domains needs none. */
  objectBootstraps(): ObjectBootstraps {
    if (!this.#loading) throw new Error('The lists are not loaded yet.');
    return (this.#objects ??= new ObjectBootstraps(this.#loading));
  }

  /** Returns whether a list or the operator names a server of this origin. */
  names(origin: string): boolean {
    return this.#isNamed(origin) || this.#objects?.names(origin) === true;
  }

  #update(): void {
    const tlds = this.#tlds?.current() ?? builtInTlds;
    this.policies.see(tlds);
    const bootstrap = this.#bootstrap?.current() ?? this.current.bootstrap;
    this.current = { ...this.current, bootstrap, tlds };
  }
}

/** Builds the DNS source, with one queue per parent zone. */
function buildDns(
  { config, clock, log, tracing }: Common,
  known: CurrentSources,
  query: QueryOptions,
): DnsSource {
  return new DnsSource({
    clock,
    log,
    serversOf: (suffix) =>
      known.current.settings.of(suffix).dns?.map(({ host, port }) => ({ address: host, port })),
    allowPrivate: config.RDAP_ALLOW_PRIVATE,
    throttled: (zone) => throttledSource(tracing.source(zone, 'dns'), query),
    maxUnverified: maxUnverifiedPerNode(config.CLUSTER_SIZE),
    samplesOf: sampleNames,
  });
}
