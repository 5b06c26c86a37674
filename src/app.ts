import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { addressList } from './domain/names/ip-address.ts';
import { buildAccounts } from './app/accounts.ts';
import type { Common } from './app/common.ts';
import { buildHttp, listen, mount, type HttpApi } from './app/http.ts';
import { buildSources, type Sources } from './app/sources.ts';
import { buildStores } from './app/stores.ts';
import { buildWatches } from './app/watches.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { BootstrapInfo } from './domain/catalogue.ts';
import { defaultTimeouts, type Timeouts } from './server/send-response.ts';
import { createLog, type Log } from './log.ts';
import { Metrics } from './metrics/metrics.ts';
import { registerGauges, instrument } from './metrics/instruments.ts';
import type { Stores } from './storage/open.ts';
import { openTracing } from './tracing/open.ts';

export interface App extends AsyncDisposable {
  /** The address that clients use: `BASE_URL`, or the address that it listens on. */
  readonly url: string;
  /** The port that it listens on, which may differ from that of `url`. */
  readonly port: number;
  /** Resolves to its coverage after the first attempt to load the TLDs, or after two seconds. */
  coverage(): Promise<Coverage>;
}

/** What the gateway can look up. */
export interface Coverage {
  /** Number of TLDs whose names can be looked up. */
  readonly tlds: number;
  readonly bootstrap: BootstrapInfo;
  /** Undefined if the bootstrap document is a file, or its server has not responded yet. */
  readonly isNetworkReachable: boolean | undefined;
}

/** Parts that already exist, or that a test replaces. */
export interface AppOverrides {
  readonly clock?: Clock;
  readonly log?: Log;
  /** The configured stores, already open; closed with the app. */
  readonly stores?: Stores;
  readonly timeouts?: Timeouts;
}

/**
 * Pending lookups fail this long after the start of a shutdown, so that their responses can be sent
 * within its ten seconds.
 */
const lookupGraceMs = 9000;

/**
 * Builds all parts in order and listens. Disposing of the app stops accepting connections, finishes
 * the requests in flight (10 s at most) and closes all parts. Rejects with `ConfigError` for
 * invalid settings.
 */
export async function createApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const { api, served, sources, parts } = await build(config, overrides, listen);
  return {
    url: api.baseUrl.get(),
    port: served.port,
    coverage: () => coverageOf(sources, config),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/**
 * Builds all parts of a gateway without a server of its own, in order. Disposing of the app finishes
 * the requests in flight (10 s at most) and closes all parts. Rejects with `ConfigError` for invalid
 * settings.
 */
export async function createMountedApp(config: Config, overrides: AppOverrides = {}) {
  const { served, parts } = await build(config, overrides, mount);
  return { ...served, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

type ServedBy = { readonly server: { readonly connections: number } };

async function build<Served extends ServedBy>(
  config: Config,
  overrides: AppOverrides,
  serve: (common: Common, api: HttpApi) => Served | Promise<Served>,
) {
  const {
    clock = systemClock,
    log = createLog(config.LOG_LEVEL),
    timeouts = defaultTimeouts,
  } = overrides;
  await using disposables = new AsyncDisposableStack();
  const metrics = new Metrics();
  const common: Common = {
    config,
    clock,
    log,
    instruments: instrument(metrics, clock),
    tracing: await openTracing(clock),
    disposables,
  };
  const trustedProxies = addressList(config.TRUSTED_PROXIES);
  const stores = await buildStores(common, overrides.stores);
  const sources = await buildSources(common, stores);
  const accounts = buildAccounts(common, stores.accounts);
  const watches = await buildWatches(common, stores, sources, accounts);
  const dependencies = { metrics, stores, sources, accounts, watches, trustedProxies, timeouts };
  const api = await buildHttp(common, dependencies);
  const served = await serve(common, api);

  // Streams of changes end before the server waits for its requests.
  disposables.defer(() => watches.stop());
  disposables.defer(() => void clock.after(lookupGraceMs, () => sources.stop()));
  const { server } = served;
  const { loadShedder } = api;
  const { answers: store, database } = stores;
  const gauges = { ...sources, clock, loadShedder, server, store, database };
  registerGauges({ ...gauges, watchNumbers: watches.numbers }, metrics);

  return { api, served, sources, parts: disposables.move() };
}

async function coverageOf(
  { bootstrap, catalogue, settled }: Sources,
  { RDAP_BOOTSTRAP_URL }: Config,
): Promise<Coverage> {
  await settled;
  const isKnown = bootstrap.confirmedAt !== undefined || bootstrap.isUnreachable;
  const isRemote = !RDAP_BOOTSTRAP_URL.startsWith('file:');

  return {
    tlds: catalogue.covered().length,
    bootstrap: bootstrap.info(),
    isNetworkReachable: isRemote && isKnown ? !bootstrap.isUnreachable : undefined,
  };
}
