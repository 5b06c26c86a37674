import { readFile } from 'node:fs/promises';
import packageJson from '../package.json' with { type: 'json' };
import { baseSchema, schema } from '../schema/schema.ts';
import { countedLedger } from './accounts/counted-ledger.ts';
import { KeyCache } from './accounts/key-cache.ts';
import { RateLimit } from './accounts/rate-limit.ts';
import { ReservationKeeper } from './accounts/reservation-keeper.ts';
import type { AccountStore } from './accounts/store.ts';
import { workLimit } from './accounts/work-limit.ts';
import { addressList } from './addresses.ts';
import { answersKeptFor } from './cache/freshness.ts';
import { lastingSecret } from './cache/lasting-secret.ts';
import { readCache, type Memory } from './cache/read-through.ts';
import type { StoredAnswer } from './cache/store.ts';
import { SingleFlight } from './cache/single-flight.ts';
import { keepSwept } from './cache/sweep.ts';
import { systemClock, type Clock } from './clock.ts';
import { ConfigError, type Config } from './config.ts';
import { contextOpener } from './context.ts';
import { splitName, type DomainName } from './domain/domain-name.ts';
import type { Registry, Source } from './domain/registry.ts';
import { Admission } from './http/admission.ts';
import { withApiHeaders } from './http/middleware/api-headers.ts';
import { Authenticator } from './http/middleware/authenticate.ts';
import { DeprecationUsage } from './http/middleware/deprecation-usage.ts';
import { withRequestMetrics } from './http/request-metrics.ts';
import { createRouter } from './http/router.ts';
import { HttpServer } from './http/server/http-server.ts';
import { defaultTimeouts, type Timeouts } from './http/server/timeouts.ts';
import { addressOf, listen } from './listen.ts';
import { createLog, type Log } from './log.ts';
import { createRoom } from './lookup/room.ts';
import { Metrics } from './metrics/metrics.ts';
import { readFrom } from './metrics/readings.ts';
import { reportsTo } from './metrics/reports.ts';
import { createClient } from './rdap/client.ts';
import { createDispatcher } from './rdap/dispatcher.ts';
import { namedRoute, registryRoute } from './rdap/routes.ts';
import { EphemeralPools } from './rdap/ephemeral-pools.ts';
import { createCatalogue } from './directory/tld-catalogue.ts';
import { registrarRecords } from './registries/registrar-records.ts';
import { RegistryState } from './sources/registry-state.ts';
import { canaryCheckedSource, lookUpCanary } from './sources/canary-checked.ts';
import { BootstrapLoader } from './directory/bootstrap-loader.ts';
import { readOverrides, type Service } from './directory/bootstrap-parser.ts';
import { cachedRegistry } from './registries/cached-registry.ts';
import { createDirectory, entryOf, type Entries } from './registries/directory.ts';
import { directoryEntries } from './directory/service-map.ts';
import { FairShare } from './registries/fair-share.ts';
import { FailedNames, withoutFailedNames } from './sources/failed-names.ts';
import { namedOrigins } from './directory/named-origins.ts';
import { overlookedTo } from './registries/overlooked.ts';
import { RetryingSource } from './sources/retrying.ts';
import { MissingNames } from './sources/missing-names.ts';
import { RdapSource } from './registries/rdap-source.ts';
import { suffixPolicy } from './directory/registrable-suffixes.ts';
import { ThrottledSource } from './registries/throttled-source.ts';
import { startSandbox } from './sandbox/server.ts';
import { sandboxSuffixes } from './sandbox/suffixes.ts';
import { MemoryAnswers } from './storage/memory/answers.ts';
import type { Stores } from './storage/open.ts';
import { openConfiguredStores } from './stores.ts';
import { Backoffs } from './throttle/backoffs.ts';
import { hostLimits, readHostLimits } from './throttle/host-limits.ts';
import { HostQueues } from './throttle/host-queues.ts';
import { MeasuredQueues } from './throttle/queue-metrics.ts';
import { SendPriority } from './throttle/send-priority.ts';
import { Tracing } from './tracing/tracing.ts';

export interface App extends AsyncDisposable {
  /** Where callers reach it: `BASE_URL`, or the address that was taken. */
  readonly url: string;
  /** Where it listens, also when callers use another address. */
  readonly port: number;
}

/** Parts that are there already, or that a test puts in place of the real ones. */
export interface Parts {
  readonly clock?: Clock;
  readonly log?: Log;
  /** What the configuration names, opened before; closed with the app. */
  readonly stores?: Stores;
  /** How long clients may take. */
  readonly timeouts?: Timeouts;
}

/** For requests in flight; what else must be closed takes some of the ten seconds, too. */
const graceMs = 9500;
/** Of that: who still waits for a registry then is told that it is not known, while there is time to tell him. */
const waitingMs = 9000;
const streamedPatienceMs = 60_000;
const sandboxKeptForSeconds = 10;
/** About a thousand answers. */
const maxSandboxCharacters = 3_000_000;
const sandboxConnections = 256;
/** Some 30 MB; a hostile registrar's records may have 1 MB each. */
const maxRegistrarCharacters = 30_000_000;
const registrarRecordsKeptForSeconds = 60 * 60;
/** Inputs of one call for each name that it may look up: the same name may be written in several ways. */
const spellings = 4;
/** For a server that is trusted by other means. */
const trustsEvery404 = { absenceCounts: () => true, learn: () => {}, disown: () => {} };
const userAgent = `${packageJson.name}/${packageJson.version}`;

/**
 * The plan of the house: builds each part once, in order, and listens. Disposing of it stops accepting, finishes what is in flight (10 s at
 * most) and closes every part. Throws `ConfigError` for what the operator must mend.
 */
export async function createApp(config: Config, replaced: Parts = {}): Promise<App> {
  const { clock = systemClock, log = createLog(config.LOG_LEVEL), timeouts = defaultTimeouts } = replaced;
  await using parts = new AsyncDisposableStack();
  const stores = parts.adopt(replaced.stores ?? (await openConfiguredStores(config, clock, log)), (opened) => opened.close());
  const metrics = new Metrics();
  const reports = reportsTo(metrics, clock);
  const tracing = new Tracing(clock);
  const timeoutMs = config.RDAP_TIMEOUT_MS;
  const overrides = await readSetting('RDAP_OVERRIDES', config.RDAP_OVERRIDES, readOverrides, new Map());
  const ownLimits = await readSetting('RDAP_LIMITS', config.RDAP_LIMITS, readHostLimits, {});
  const { answers: store, accounts, database } = stores;
  parts.defer(keepSwept(store, config.RECORD_DAYS, clock, log));
  parts.adopt(new ReservationKeeper(accounts, clock, log), (its) => its.stop());

  const socket = { connections: config.RDAP_CONCURRENCY, connectTimeoutMs: timeoutMs };
  const registries = parts.adopt(createDispatcher({ ...socket, allowPrivate: config.RDAP_ALLOW_PRIVATE }), (pool) => pool.destroy());
  const ephemeralPools = parts.adopt(new EphemeralPools({ ...socket, allowPrivate: false }), (pools) => pools.destroy());
  const anywhere = parts.adopt(createDispatcher({ ...socket, connections: sandboxConnections, allowPrivate: true }), (pool) =>
    pool.destroy(),
  );
  const publicRoute = registryRoute(ephemeralPools, false);
  const isNamed = namedOrigins(() => bootstrap.current(), overrides);
  const route = namedRoute(isNamed, registryRoute(registries, config.RDAP_ALLOW_PRIVATE), publicRoute);
  const client = tracing.client(createClient({ route, userAgent, clock }));
  const wire = {
    client,
    clock,
    timeoutMs,
    sendPriority: new SendPriority(clock),
    overlooked: overlookedTo(log),
    onUnrecognized: reports.unrecognizedNotFound,
  };

  const bootstrapRoute = namedRoute(isOriginOf(config.RDAP_BOOTSTRAP_URL), () => anywhere, publicRoute);
  const bootstrapClient = createClient({ route: bootstrapRoute, userAgent, clock });
  const bootstrap = new BootstrapLoader({ url: config.RDAP_BOOTSTRAP_URL, client: bootstrapClient, notes: store, clock, log });
  parts.defer(() => bootstrap.stop());

  const canaryServer = (baseUrl: string) => new ThrottledSource(new RdapSource({ baseUrl, ...trustsEvery404 }, wire), throttle);
  const registryState = await RegistryState.load({
    notes: store,
    lookUpCanary: (baseUrl, canary) => lookUpCanary(canaryServer(baseUrl), canary, clock.now() + timeoutMs),
    clock,
    log,
  });
  const singleFlight = new SingleFlight(clock);
  const kept = { keepsRecords: config.RECORD_DAYS > 0, keptForSeconds: answersKeptFor };
  const missing = new MissingNames();
  /** While the server still serves the name, and its 404s are still trusted. */
  const trustsAvailable = ({ name, endpoint, checkedAt }: StoredAnswer) => {
    const service = serviceOf(entryOf(entries(), name) ?? '');
    const isServed = service?.trust404 === true && service.baseUrls.includes(endpoint);
    return isServed && registryState.canaryMonitor(endpoint, monitorEntry(name)).trustsCached(checkedAt);
  };
  const memory: Memory = { store, singleFlight, clock, log, ...kept, trustsAvailable };
  const limitsOf = hostLimits(ownLimits, { rate: config.RDAP_RATE, concurrency: config.RDAP_CONCURRENCY }, config.CLUSTER_SIZE);
  const backoffs = parts.adopt(new Backoffs(stores.backoffs, clock, log), (open) => open.stop());
  await backoffs.start();
  const hostQueues = new HostQueues({ limitsOf, clock, backoffs });
  const queues = new MeasuredQueues(hostQueues, clock, reports.exchanges);
  const registrarQueueOf = (url: string) => queues.registrar(url);
  const throttle = {
    ...wire,
    queueOf: (url: string) => queues.registry(url),
    redirectQueueOf: (url: string) => queues.redirected(url),
  };
  const isEntry = (suffix: string) => entries().has(suffix);
  const serviceOf = (entry: string) => overrides.get(entry) ?? bootstrap.current().get(entry);
  const monitorEntry = (name: DomainName) => entryOf(entries(), name) || splitName(name).suffix;
  const remembering = (its: Memory) => {
    const read = tracing.cacheReads((questions) => readCache(its, questions));
    return (source: Source) => tracing.lookups(cachedRegistry(tracing.underLookups(source), its, read));
  };
  const rememberedRegistry = remembering(memory);
  const failedNames = new FailedNames(clock);
  const registryFor = ({ baseUrls: [first, ...others], trust404 }: Service): Registry => {
    const server = (baseUrl: string) => {
      const bySuffix = suffixPolicy(baseUrl, isEntry, registryState.suffixes);
      const trust = trust404 ? bySuffix : { ...bySuffix, absenceCounts: () => false };
      const monitorOf = (name: DomainName) => registryState.canaryMonitor(baseUrl, monitorEntry(name));
      const disown = (name: DomainName) => monitorOf(name).discardAvailable();
      const throttled = new ThrottledSource(new RdapSource({ baseUrl, disown, ...trust }, wire), throttle);
      return canaryCheckedSource(throttled, { monitorOf, missing, timeoutMs, clock });
    };
    const retrying = new RetryingSource([server(first), ...others.map(server)], timeoutMs, clock);
    return rememberedRegistry(withoutFailedNames(retrying, failedNames));
  };

  const builtIn = new Map<string, Registry>();
  if (config.SANDBOX) {
    const { baseUrl } = parts.adopt(await startSandbox(clock), (sandbox) => sandbox.close());
    const itsClient = tracing.client(createClient({ route: namedRoute(isOriginOf(baseUrl), () => anywhere), userAgent, clock }));
    // No host queue: it has no rate limit, and a `Retry-After` holds for one name only.
    const server = new RdapSource({ baseUrl, ...trustsEvery404 }, { ...wire, client: itsClient });
    const shared = new FairShare(server, sandboxConnections, clock);
    const brief: Memory = {
      ...memory,
      store: new MemoryAnswers(maxSandboxCharacters),
      keptForSeconds: sandboxKeptForSeconds,
      trustsAvailable: () => true,
    };
    const registry = remembering(brief)(new RetryingSource([shared], timeoutMs, clock));
    for (const suffix of sandboxSuffixes) builtIn.set(suffix, registry);
  }
  const entries: () => Entries = directoryEntries({ bootstrap: () => bootstrap.current(), overrides, builtIn, registryFor });

  const registrarMemory: Memory = {
    ...memory,
    // A registrar's answer is mostly contacts: where they may not be stored, none is, as no answer fits.
    store: new MemoryAnswers(config.RECORD_DAYS > 0 ? maxRegistrarCharacters : 1),
    singleFlight: new SingleFlight(clock),
    keptForSeconds: registrarRecordsKeptForSeconds,
    trustsAvailable: () => true,
  };
  const ledger = countedLedger(accounts, reports.credits);
  const openContext = contextOpener({
    directory: createDirectory(entries),
    registrars: registrarRecords({ ...wire, queueOf: registrarQueueOf, redirectQueueOf: registrarQueueOf, memory: registrarMemory }),
    catalogue: createCatalogue({
      entries,
      healthOf: (baseUrl) => hostQueues.registry(baseUrl).status(),
      bootstrap: () => bootstrap.info(),
      allowPlainHttp: config.RDAP_ALLOW_PRIVATE,
    }),
    ledger,
    log,
    clock,
    patience: { inOnePiece: config.QUEUE_TIMEOUT_MS, streamed: Math.max(config.QUEUE_TIMEOUT_MS, streamedPatienceMs) },
    maxLookups: config.MAX_LOOKUPS,
    room: createRoom(),
    onOutcome: reports.outcome,
  });
  let url = config.BASE_URL ?? '';
  const trustedProxies = addressList(config.TRUSTED_PROXIES);
  const admission = new Admission(clock);
  const router = createRouter({
    schemas: { base: baseSchema, full: schema },
    openContext,
    authenticator: new Authenticator({
      auth: config.AUTH,
      trustedProxies,
      keys: new KeyCache(accounts, clock),
      limit: new RateLimit(config.RATE_LIMIT, clock),
      openWork: workLimit(config.RATE_LIMIT, clock),
    }),
    isReady: () => canWrite(accounts, log),
    settled: bootstrap.settled,
    limits: { maxTlds: config.MAX_TLDS, maxInputs: config.MAX_LOOKUPS * spellings, idempotencyKeys: accounts },
    admission,
    metrics: {
      text: () => metrics.text(),
      mediaType: metrics.mediaType,
      readers: addressList(config.METRICS_ALLOW),
      trustedProxies,
    },
    deprecationUsage: parts.adopt(new DeprecationUsage(clock, log, reports.aliasUsed), (usage) => usage.close()),
    corsOrigins: config.CORS_ORIGINS,
    introspection: config.INTROSPECTION,
    graphiql: config.GRAPHIQL,
    tagSecret: await lastingSecret('tags', store, log),
    openapi: async () => (await import('../schema/openapi/document.ts')).openapiDocument(),
    baseUrl: () => url,
    docsUrl: () => config.DOCS_URL ?? `${url}/docs`,
    clock,
    log,
  });
  const handler = tracing.router(withRequestMetrics(withApiHeaders(router, clock), clock, reports.requests));
  const server = parts.adopt(new HttpServer({ handler, admission, trustedProxies, timeouts, clock, log }), (open) => open.stop(graceMs));
  parts.defer(() => void clock.after(waitingMs, () => [singleFlight, registrarMemory.singleFlight].forEach((some) => some.stop())));
  readFrom({ clock, admission, server, singleFlight, store, queues, bootstrap, database }, metrics);
  const { port } = await listen(server, config);
  url ||= addressOf(config.HOST, port);
  const running = parts.move();
  return { url, port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function isOriginOf(url: string): (origin: string) => boolean {
  const expected = new URL(url).origin;
  return (origin) => origin === expected;
}

/** Reads the JSON file that a variable names. */
async function readSetting<T>(variable: string, path: string | undefined, read: (document: unknown) => T, otherwise: T): Promise<T> {
  if (path === undefined) return otherwise;
  try {
    return read(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new ConfigError(`${variable} must name a readable JSON file, got ${JSON.stringify(path)}: ${String(error)}`);
  }
}

async function canWrite(accounts: AccountStore, log: Log): Promise<boolean> {
  try {
    await accounts.probe();
    return true;
  } catch (error) {
    log.error({ err: error }, 'not ready: the ledger cannot be written');
    return false;
  }
}
