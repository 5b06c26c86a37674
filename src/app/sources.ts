import { answerRetentionSeconds } from '../cache/freshness.ts';
import type { CacheContext } from '../cache/read-through.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { BootstrapLoader } from '../directory/bootstrap-loader.ts';
import { readOverrides } from '../directory/bootstrap-parser.ts';
import { createDirectory } from '../directory/directory.ts';
import { namedOrigins } from '../directory/named-origins.ts';
import { createCatalogue } from '../directory/tld-catalogue.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Directory } from '../domain/directory.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import { createRegistrarRecords } from '../sources/registrar-records.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import type { Stores } from '../storage/open.ts';
import type { InstrumentedQueues } from '../throttle/instrumented-queues.ts';
import { createClients } from './clients.ts';
import type { Common } from './common.ts';
import { loadRegistryState, Registries } from './registries.ts';
import { buildSandbox } from './sandbox.ts';
import { readSetting } from './settings.ts';
import { buildThrottle, queryOptions, type QueryOptions, type Throttle } from './throttle.ts';

export interface Sources {
  readonly directory: Directory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly bootstrap: BootstrapLoader;
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
  const isNamed = namedOrigins(() => bootstrap.current(), overrides);
  const clients = createClients(common, isNamed);
  const loader = new BootstrapLoader({
    url: config.RDAP_BOOTSTRAP_URL,
    client: clients.bootstrap,
    store: stores.answers,
    clock,
    log,
  });
  const bootstrap = disposables.adopt(loader, (open) => open.stop());
  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle);
  const cache = cacheOf(common, stores);
  const builtIn = await buildSandbox(common, clients, query, cache);
  const state = await loadRegistryState(common, stores, query);
  const { entries } = new Registries(
    { common, query, bootstrap, overrides, builtIn, cache },
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
    queues: throttle.queues,
    singleFlight: cache.singleFlight,
    stop: () => [cache, registrarCache].forEach(({ singleFlight }) => singleFlight.stop()),
  };
}

function cacheOf(
  { config, clock, log }: Common,
  { answers: store }: Stores,
): Omit<CacheContext, 'trustsAvailable'> {
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
  cache: Omit<CacheContext, 'trustsAvailable'>,
): CacheContext {
  return {
    ...cache,
    // Registrar records are mostly contacts. If those may not be stored, the size limit rejects
    // every record.
    store: new MemoryAnswers(config.RECORD_DAYS > 0 ? maxRegistrarCharacters : 1),
    singleFlight: new SingleFlight(clock),
    retentionSeconds: registrarRecordRetentionSeconds,
    trustsAvailable: () => true,
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
