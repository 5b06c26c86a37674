import packageJson from '../../package.json' with { type: 'json' };
import { addressList, type AddressList } from '../domain/names/ip-address.ts';
import type { Execution } from '../execution/execution.ts';
import { TimeSlices } from '../execution/time-slices.ts';
import { createEtagFactory } from '../server/messages/etag.ts';
import { LoadShedder } from '../server/load-shedder.ts';
import { aliasCounter } from '../server/messages/deprecations.ts';
import { withReports } from '../server/request-reports.ts';
import { healthCsv } from '../api/rest/endpoints/tlds.ts';
import { createRouter } from '../api/router.ts';
import type { RouteOptions } from '../api/routes.ts';
import type { ResponderOptions } from '../server/responder.ts';
import type { Timeouts } from '../server/send-response.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Stores } from '../storage/open.ts';
import { persistentSecret } from '../storage/persistent-secret.ts';
import type { Accounts } from './accounts.ts';
import type { Common } from './common.ts';
import { endpoints } from './endpoints.ts';
import { buildExecution } from './execution.ts';
import { buildOAuth } from './oauth.ts';
import { buildReceipts } from './receipts.ts';
import { maxInputs, readSets } from './settings.ts';
import type { Sources } from './sources.ts';
import type { AddressInfo } from 'node:net';
import { ConfigError, type Config } from '../config.ts';
import { reasonOf } from '../shared/reason-of.ts';
import { inProcessExecutor } from '../api/graphql/in-process.ts';
import { HttpServer } from '../server/http-server.ts';
import { MountedServer } from '../server/mounted-server.ts';
import { idempotencyRecordOpener } from '../api/rest/idempotency-key.ts';
import { receiptExtension } from '../receipts/receipt-extension.ts';
import { replay } from './recorded-lookup.ts';
import { receiptRoutes } from '../receipts/receipt-routes.ts';
import { watchExtension } from '../watches/account-watches.ts';
import { watchRoutes } from '../watches/rest/watch-routes.ts';
import type { Watches } from '../watches/watches.ts';

interface HttpDependencies {
  readonly metrics: Metrics;
  readonly stores: Stores;
  readonly sources: Sources;
  readonly accounts: Accounts;
  readonly watches: Watches;
  readonly trustedProxies: AddressList;
  readonly timeouts: Timeouts;
}

/** The HTTP API, before it listens. */
export interface HttpApi extends ResponderOptions {
  readonly execution: Execution;
  readonly bootstrapSettled: Promise<void>;
  readonly docsUrl: () => string;
  readonly baseUrl: BaseUrl;
}

/** The address that clients use: `BASE_URL`, or that of the server once it listens. */
class BaseUrl {
  #url: string;

  constructor(configured = '') {
    this.#url = configured;
  }

  readonly get = (): string => this.#url;

  /** Sets the address of the server, for clients on this machine, unless `BASE_URL` is set. */
  listensAt(host: string, port: number): void {
    // Nobody can connect to a wildcard address.
    const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    this.#url ||= `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }
}

export async function buildHttp(common: Common, parts: HttpDependencies): Promise<HttpApi> {
  const { config, clock, log, tracing, instruments } = common;
  const { metrics, stores, sources, accounts, watches, trustedProxies, timeouts } = parts;
  const {
    CORS_ORIGINS: corsOrigins,
    GRAPHIQL: graphiql,
    INTROSPECTION: allowIntrospection,
  } = config;
  const address = new BaseUrl(config.BASE_URL);
  const baseUrl = address.get;
  const docsUrl = () => config.DOCS_URL ?? `${baseUrl()}/docs`;

  const slices = new TimeSlices();
  const receipts = buildReceipts(common, stores, sources, baseUrl);
  const { timelines } = sources;
  const extensions = [watchExtension({ watches, timelines, baseUrl }), receiptExtension(receipts)];
  const execution = buildExecution(common, sources, accounts.ledger, slices, extensions);
  const etagOf = createEtagFactory(await persistentSecret('tags', stores.answers, log));
  const openIdempotencyRecord = idempotencyRecordOpener(stores.accounts);
  const running = { execution, etagOf, clock, docsUrl };

  const limits = { maxLookups: config.MAX_LOOKUPS, maxInputs: maxInputs(config) };
  const restLimits = { maxTlds: config.MAX_TLDS, maxInputs: limits.maxInputs };
  const { directory, objects, catalogue } = sources;
  const directories = { domains: directory, objects };
  const { authenticator, isReady } = accounts;
  const bootstrapSettled = sources.bootstrap.settled;
  const loadShedder = new LoadShedder(clock);
  const countAliases = aliasCounter(clock, log, instruments.aliasUsed);

  const receiptParts = { execution, receipts, replay, openIdempotencyRecord, graphiql };

  const options: RouteOptions = {
    clock,
    corsOrigins,
    baseUrl,
    docsUrl,
    graphiql,
    access: { authenticator, loadShedder, countAliases, bootstrapSettled },
    isReady,
    metrics: {
      text: () => metrics.text(),
      mediaType: metrics.mediaType,
      readers: addressList(config.METRICS_ALLOW),
      trustedProxies,
    },
    docs: {
      openapi: async () => (await import('./openapi.ts')).openapiDocument(),
      tldsCsv: () => healthCsv(catalogue.covered()),
      allowIntrospection,
    },
    search: {
      sandbox: config.SANDBOX,
      registerUrl: config.REGISTER_URL,
      sets: await readSets(config.SETS_FILE),
    },
    accuracy: () => sources.accuracy.rows,
    operator: config.OPERATOR_PAGE ? await operatorOptions(common, parts) : undefined,
    graphql: { ...running, log, allowIntrospection },
    endpoints,
    rest: { ...running, ...restLimits, slices, countAliases, openIdempotencyRecord },
    rdap: { ...running, baseUrl, mode: config.RDAP_RELAY, directories },
    mcp: {
      execution,
      log,
      docsUrl,
      baseUrl,
      corsOrigins,
      allowIntrospection,
      version: packageJson.version,
      tools: async () =>
        (await import('./tools.ts')).mcpTools({ limits, directory, allowIntrospection }),
      events: async () => (await import('../watches/mcp-events.ts')).changeEvents(watches, clock),
    },
    oauth: await buildOAuth(common, stores.accounts, sources.issuerClient, baseUrl),
    features: [...receiptRoutes(receiptParts), ...watchRoutes({ execution, etagOf, ...limits })],
  };

  const router = withReports(createRouter(options), clock, log, instruments.requests);
  const handler = tracing.router(router);
  const api = { execution, bootstrapSettled, docsUrl, baseUrl: address };
  return { ...api, handler, loadShedder, trustedProxies, timeouts, clock, log };
}

async function operatorOptions(
  { config, log, instruments }: Common,
  { stores, sources, watches }: HttpDependencies,
): Promise<RouteOptions['operator']> {
  const { queues, trust, hostStatus, catalogue, network } = sources;
  return {
    queues,
    trust,
    hostStatus,
    catalogue,
    network,
    answers: instruments.answers,
    history: instruments.history,
    accounts: stores.accounts,
    log,
    formSecret: await persistentSecret('forms', stores.answers, log),
    hasKeys: config.STORE_URL !== 'memory:',
    watchNumbers: watches.numbers,
  };
}

/**
 * Grace period of requests in flight; closing the other parts takes the rest of the ten seconds.
 */
const graceMs = 9500;
const maxPort = 65_535;

/**
 * Starts a server for the API. Rejects with `ConfigError` if it cannot listen at the configured
 * address.
 */
export async function listen({ config, disposables }: Common, api: HttpApi) {
  const server = disposables.adopt(new HttpServer(api), (open) => open.stop(graceMs));
  const { port } = await listenAt(server, config);
  api.baseUrl.listensAt(config.HOST, port);

  return { server, port };
}

/**
 * Prepares the API for a server that is not the gateway's own, at `HOST` and `PORT` unless
 * `BASE_URL` is set, and for operations of this process.
 */
export function mount({ config, disposables }: Common, api: HttpApi) {
  api.baseUrl.listensAt(config.HOST, config.PORT);
  const server = disposables.adopt(new MountedServer(api), (mounted) => mounted.stop(graceMs));
  const execute = inProcessExecutor({ ...api, allowIntrospection: config.INTROSPECTION });

  return { server, execute };
}

async function listenAt(server: HttpServer, { HOST, PORT }: Config): Promise<AddressInfo> {
  try {
    return await server.listen(HOST, PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const other = PORT < maxPort ? PORT + 1 : PORT - 1;
      throw new ConfigError(`Port ${PORT} is in use; try PORT=${other}.`, 1);
    }

    if (code === 'EACCES')
      throw new ConfigError(
        `PORT ${PORT} is not permitted. Set PORT to another port; PORT=0 picks a free one.`,
      );

    throw new ConfigError(
      `HOST must be an address of this machine, got ${JSON.stringify(HOST)}: ${reasonOf(error)}`,
    );
  }
}
