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
  /** The address that clients use. Empty until the gateway listens, unless `BASE_URL` is set. */
  baseUrl: string;
}

/** Builds the HTTP API. */
export async function buildHttp(
  common: Common,
  { metrics, stores, sources, accounts, watches, trustedProxies, timeouts }: HttpDependencies,
): Promise<HttpApi> {
  const { config, clock, log, tracing, instruments } = common;
  const { directory, objects } = sources;
  const address = { baseUrl: config.BASE_URL ?? '' };
  const baseUrl = () => address.baseUrl;

  const slices = new TimeSlices();
  const receipts = buildReceipts(common, stores, sources, baseUrl);
  const extensions = [watchExtension({ watches, baseUrl }), receiptExtension(receipts)];

  const limits = { maxLookups: config.MAX_LOOKUPS, maxInputs: maxInputs(config) };
  const shared = {
    clock,
    log,
    loadShedder: new LoadShedder(clock),
    execution: buildExecution(common, sources, accounts.ledger, slices, extensions),
    bootstrapSettled: sources.bootstrap.settled,
    docsUrl: () => config.DOCS_URL ?? `${baseUrl()}/docs`,
  };

  const ofRequests = {
    ...shared,
    ...limits,
    baseUrl,
    slices,
    etagOf: createEtagFactory(await persistentSecret('tags', stores.answers, log)),
  };

  const ofWatches = watchRoutes(ofRequests);
  const ofReceipts = receiptRoutes({
    replay,
    ...shared,
    receipts,
    openIdempotencyRecord: idempotencyRecordOpener(stores.accounts),
    graphiql: config.GRAPHIQL,
  });

  const options: RouteOptions = {
    ...ofRequests,
    ...accounts,
    maxTlds: config.MAX_TLDS,
    idempotencyKeys: stores.accounts,
    metrics: {
      text: () => metrics.text(),
      mediaType: metrics.mediaType,
      readers: addressList(config.METRICS_ALLOW),
      trustedProxies,
    },
    countAliases: aliasCounter(clock, log, instruments.aliasUsed),
    rdap: { mode: config.RDAP_RELAY, directories: { domains: directory, objects } },
    corsOrigins: config.CORS_ORIGINS,
    oauth: await buildOAuth(common, stores.accounts, sources.issuerClient, baseUrl),
    version: packageJson.version,
    allowIntrospection: config.INTROSPECTION,
    graphiql: config.GRAPHIQL,
    sandbox: config.SANDBOX,
    operator: config.OPERATOR_PAGE
      ? {
          ...sources,
          answers: instruments.answers,
          history: instruments.history,
          accounts: stores.accounts,
          log,
          formSecret: await persistentSecret('forms', stores.answers, log),
          hasKeys: config.STORE_URL !== 'memory:',
          watchNumbers: watches.numbers,
        }
      : undefined,
    registerUrl: config.REGISTER_URL,
    sets: await readSets(config.SETS_FILE),
    endpoints,
    findFeature: (path) => ofReceipts(path) ?? ofWatches(path),
    tools: async () =>
      (await import('./tools.ts')).mcpTools({
        limits,
        directory,
        allowIntrospection: config.INTROSPECTION,
      }),
    events: async () => (await import('../watches/mcp-events.ts')).changeEvents(watches, clock),
    accuracy: () => sources.accuracy.rows,
    tldsCsv: () => healthCsv(sources.catalogue.covered()),
    openapi: async () => (await import('./openapi.ts')).openapiDocument(),
  };

  const router = withReports(createRouter(options), clock, log, instruments.requests);
  const handler = tracing.router(router);

  return Object.assign(address, { ...shared, handler, trustedProxies, timeouts });
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
  api.baseUrl ||= urlOf(config.HOST, port);

  return { server, port };
}

/**
 * Prepares the API for a server that is not the gateway's own, at `HOST` and `PORT` unless
 * `BASE_URL` is set, and for operations of this process.
 */
export function mount({ config, disposables }: Common, api: HttpApi) {
  api.baseUrl ||= urlOf(config.HOST, config.PORT);
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

/** Returns the URL for clients on this machine; `localhost` replaces a wildcard address. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
