import type { AccuracySample } from '../domain/accuracy.ts';
import type { RdapRecord } from '../domain/answer.ts';
import type { NameQuery } from '../domain/source.ts';
import { answerRetentionSeconds } from '../registries/cache/freshness.ts';
import type { CacheContext } from '../registries/cache/read-through.ts';
import { SingleFlight } from '../registries/cache/single-flight.ts';
import { nameForm, recordForm } from '../registries/cache/store.ts';
import { BootstrapLoader } from '../registries/directory/bootstrap-parser.ts';
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
 * `startupIntervalMs` is that of `LoaderOptions`.
 */
export async function buildSources(
  common: Common,
  stores: LookupStores,
  startupIntervalMs?: number,
) {
  const { known, offersOf, policies, clients, bootstrap, objectBootstraps, settled } =
    await buildKnownSources(common, stores, startupIntervalMs);
  const timelines = await buildTimelines(common.config);

  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle.queues);
  const caches = cachesOf(common, stores);
  const builtIn = await buildSandbox(common, clients, query, caches.names, caches.objects);

  const state = await loadRegistryState(stores.answers, query);
  const dns = buildDns(common, known, query);
  const controlled = new ControlledServers(stores.answers, query);
  const network = new NetworkStatus(common.clock, [bootstrap, dns]);
  const policyOf = (suffix: string) => policies.of(suffix);
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
    bootstraps: objectBootstraps,
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
    /** For the issuer of access tokens. */
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
    /** Returns the status of the host of a registry. */
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

  /** Of objects other than domains, in the same store. */
  const objects: ObjectCache = {
    ...names,
    form: recordForm,
    singleFlight: new SingleFlight(clock),
    isUsable: () => true,
  };

  /** In a separate store, so that records of registrars are never mistaken for the registry's. */
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

/**
 * Reads the operator's files, and starts loading the bootstrap document and the list of TLDs.
 * Rejects with `ConfigError` if a file is invalid. `startupIntervalMs` is that of `LoaderOptions`.
 */
async function buildKnownSources(common: Common, stores: LookupStores, startupIntervalMs?: number) {
  const { config, clock, log, disposables } = common;
  const bootstrapFile = await readBootstrapFile(config.RDAP_BOOTSTRAP_URL);
  const configured = await readConfigured(common);
  const known: { current: KnownSources } = {
    current: { bootstrap: bootstrapFile, tlds: builtInTlds, ...configured },
  };

  const offersOf = await readOffers(config.OFFERS_FILE, known.current);
  const policies = new Policies(configured.settings, () => clock.now());

  const isNamed = namedOrigins(known);
  const clients = createClients(
    common,
    (origin) => isNamed(origin) || objects?.names(origin) === true,
  );

  const { answers: store } = stores;
  const loading = { client: clients.bootstrap, store, clock, log, startupIntervalMs };
  const onChange = () => {
    const tlds = tldList?.current() ?? builtInTlds;
    policies.see(tlds);
    known.current = { bootstrap: bootstrap.current(), tlds, ...configured };
  };

  const bootstrap = disposables.adopt(
    new BootstrapLoader({ ...loading, onChange, url: config.RDAP_BOOTSTRAP_URL }),
    (loader) => loader.stop(),
  );
  const listUrl = tldListUrl(config.RDAP_BOOTSTRAP_URL);
  const tldList =
    listUrl === undefined
      ? undefined
      : disposables.adopt(loadTldList({ ...loading, onChange, url: listUrl }), (list) =>
          list.stop(),
        );

  onChange();

  let objects: ObjectBootstraps | undefined;
  // Loaded by the first call: a process that looks up only domains does not need them.
  const objectBootstraps = () =>
    (objects ??= new ObjectBootstraps({ ...loading, url: config.RDAP_BOOTSTRAP_URL }));
  disposables.defer(() => objects?.stop());

  /** Settles after the first attempts to load both lists, or after two seconds. Never rejects. */
  const settled: Promise<unknown> = Promise.all([bootstrap.settled, tldList?.settled]);
  return { known, offersOf, policies, clients, bootstrap, objectBootstraps, settled };
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
