import { answersKeptFor } from '../cache/freshness.ts';
import type { Memory } from '../cache/read-through.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { BootstrapLoader } from '../directory/bootstrap-loader.ts';
import { readOverrides } from '../directory/bootstrap-parser.ts';
import { createDirectory } from '../directory/directory.ts';
import { namedOrigins } from '../directory/named-origins.ts';
import { createCatalogue } from '../directory/tld-catalogue.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Directory } from '../domain/directory.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import { registrarRecords } from '../sources/registrar-records.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import type { Stores } from '../storage/open.ts';
import type { MeasuredQueues } from '../throttle/queue-metrics.ts';
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
  readonly queues: MeasuredQueues;
  /** The lookups in flight at registries. */
  readonly singleFlight: SingleFlight;
  /** Fails the lookups that are still in flight. */
  stop(): void;
}

/** Some 30 MB; a hostile registrar's records may have 1 MB each. */
const maxRegistrarCharacters = 30_000_000;
const registrarRecordsKeptForSeconds = 60 * 60;

/** Builds what looks names up: who serves a suffix, and the sources with their cache, checks, retries and queues. */
export async function buildSources(common: Common, stores: Stores): Promise<Sources> {
  const { config, clock, log, parts } = common;
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
    notes: stores.answers,
    clock,
    log,
  });
  const bootstrap = parts.adopt(loader, (open) => open.stop());
  const throttle = await buildThrottle(common, stores);
  const query = queryOptions(common, clients.registries, throttle);
  const memory = memoryOf(common, stores);
  const builtIn = await buildSandbox(common, clients, query, memory);
  const state = await loadRegistryState(common, stores, query);
  const { entries } = new Registries(
    { common, query, bootstrap, overrides, builtIn, memory },
    state,
  );
  const registrarMemory = registrarMemoryOf(common, memory);
  return {
    directory: createDirectory(entries),
    registrars: registrarsWith(query, throttle, registrarMemory),
    catalogue: createCatalogue({
      entries,
      healthOf: (baseUrl) => throttle.hostQueues.registry(baseUrl).status(),
      bootstrap: () => bootstrap.info(),
      allowPlainHttp: config.RDAP_ALLOW_PRIVATE,
    }),
    bootstrap,
    queues: throttle.queues,
    singleFlight: memory.singleFlight,
    stop: () => [memory, registrarMemory].forEach(({ singleFlight }) => singleFlight.stop()),
  };
}

function memoryOf(
  { config, clock, log }: Common,
  { answers: store }: Stores,
): Omit<Memory, 'trustsAvailable'> {
  return {
    store,
    singleFlight: new SingleFlight(clock),
    clock,
    log,
    keepsRecords: config.RECORD_DAYS > 0,
    keptForSeconds: answersKeptFor,
  };
}

/** The registrars' records are never mistaken for the registry's. */
function registrarMemoryOf(
  { config, clock }: Common,
  memory: Omit<Memory, 'trustsAvailable'>,
): Memory {
  return {
    ...memory,
    // A registrar's answer is mostly contacts: where they may not be stored, none is, as no answer fits.
    store: new MemoryAnswers(config.RECORD_DAYS > 0 ? maxRegistrarCharacters : 1),
    singleFlight: new SingleFlight(clock),
    keptForSeconds: registrarRecordsKeptForSeconds,
    trustsAvailable: () => true,
  };
}

function registrarsWith(
  query: QueryOptions,
  { queues }: Throttle,
  memory: Memory,
): RegistrarRecords {
  const queueOf = (url: string) => queues.registrar(url);
  return registrarRecords({ ...query, queueOf, redirectQueueOf: queueOf, memory });
}
