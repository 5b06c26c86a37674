import { answerRetentionSeconds } from '../cache/freshness.ts';
import type { CacheContext } from '../cache/read-through.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { BootstrapLoader } from '../directory/bootstrap-loader.ts';
import { readOverrides } from '../directory/bootstrap-parser.ts';
import { createDirectory } from '../directory/directory.ts';
import { noSourceSettings, parseSourcesFile } from '../directory/sources-file.ts';
import { knownSources } from '../directory/suffix-sources.ts';
import { TldListLoader, tldListUrl } from '../directory/tld-list.ts';
import { namedOrigins } from '../directory/named-origins.ts';
import { createCatalogue } from '../directory/tld-catalogue.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Directory } from '../domain/directory.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import type { DnsSource } from '../sources/dns/dns-source.ts';
import { createRegistrarRecords } from '../sources/registrar-records.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import type { Stores } from '../storage/open.ts';
import type { InstrumentedQueues } from '../throttle/instrumented-queues.ts';
import { createClients } from './clients.ts';
import type { Common } from './common.ts';
import { loadRegistryState, Registries } from './registries.ts';
import { DasSources } from './das.ts';
import { buildDns } from './dns.ts';
import { buildSandbox } from './sandbox.ts';
import { readSetting } from './settings.ts';
import { buildThrottle, queryOptions, type QueryOptions, type Throttle } from './throttle.ts';

export interface Sources {
  readonly directory: Directory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly bootstrap: BootstrapLoader;
  readonly dns: DnsSource;
  readonly queues: InstrumentedQueues;
  /** The lookups in flight at registries. */
  readonly singleFlight: SingleFlight;
  /** Fails the lookups that are still in flight. */
  stop(): void;
}

/** About 30 MB; records of a hostile registrar may take 1 MB each. */
const maxRegistrarCharacters = 30_000_000;
const registrarRecordRetentionSeconds = 60 * 60;

/** Builds the directory and the sources with their cache, canary checks, retries and queues. */
export async function buildSources(common: Common, stores: Stores): Promise<Sources> {
  const { config, clock, log, disposables } = common;
  const overrides = await readSetting(
    'RDAP_OVERRIDES',
    config.RDAP_OVERRIDES,
    readOverrides,
    new Map(),
  );
  const settings = await readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSourcesFile(document, config.RDAP_ALLOW_PRIVATE),
    noSourceSettings,
  );
  const known = knownSources(
    () => bootstrap.current(),
    () => tldList.current(),
    { overrides, settings },
  );
  const clients = createClients(common, namedOrigins(known));
  const loading = { client: clients.bootstrap, store: stores.answers, clock, log };
  const bootstrap = disposables.adopt(
    new BootstrapLoader({ ...loading, url: config.RDAP_BOOTSTRAP_URL }),
    (loader) => loader.stop(),
  );
  const tldList = disposables.adopt(
    new TldListLoader({ ...loading, url: tldListUrl(config.RDAP_BOOTSTRAP_URL) }),
    (loader) => loader.stop(),
  );
  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle);
  const cache = cacheOf(common, stores);
  const builtIn = await buildSandbox(common, clients, query, cache);
  const state = await loadRegistryState(common, stores, query);
  const dns = buildDns(common, settings, query);
  const { entries } = new Registries(
    {
      common,
      query,
      known,
      das: new DasSources(common, stores, query),
      dns,
      builtIn,
      cache,
    },
    state,
  );
  const registrarCache = registrarCacheOf(common, cache);
  return {
    directory: createDirectory(entries),
    registrars: registrarsWith(query, throttle, registrarCache),
    catalogue: createCatalogue({
      entries,
      healthOf: (baseUrl) => throttle.hostQueues.registryQueue(baseUrl).status(),
      bootstrap: () => bootstrap.info(),
      allowPlainHttp: config.RDAP_ALLOW_PRIVATE,
    }),
    bootstrap,
    dns,
    queues: throttle.queues,
    singleFlight: cache.singleFlight,
    stop: () => [cache, registrarCache].forEach(({ singleFlight }) => singleFlight.stop()),
  };
}

function cacheOf(
  { config, clock, log }: Common,
  { answers: store }: Stores,
): Omit<CacheContext, 'isUsable'> {
  return {
    store,
    singleFlight: new SingleFlight(clock),
    clock,
    log,
    storesRecords: config.RECORD_DAYS > 0,
    retentionSeconds: answerRetentionSeconds,
  };
}

/**
 * Returns a separate cache for registrars' records, so that they are never mistaken for the
 * registry's.
 */
function registrarCacheOf(
  { config, clock }: Common,
  cache: Omit<CacheContext, 'isUsable'>,
): CacheContext {
  return {
    ...cache,
    // Registrar records are mostly contacts. If those may not be stored, the size limit rejects
    // every record.
    store: new MemoryAnswers(config.RECORD_DAYS > 0 ? maxRegistrarCharacters : 1),
    singleFlight: new SingleFlight(clock),
    retentionSeconds: registrarRecordRetentionSeconds,
    isUsable: () => true,
  };
}

function registrarsWith(
  query: QueryOptions,
  { queues }: Throttle,
  cache: CacheContext,
): RegistrarRecords {
  const queueOf = (url: string) => queues.registrarQueue(url);
  return createRegistrarRecords({ ...query, queueOf, redirectQueueOf: queueOf, cache });
}
