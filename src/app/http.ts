import type { AddressInfo } from 'node:net';
import packageJson from '../../package.json' with { type: 'json' };
import { baseSchema, schema } from '../../schema/schema.ts';
import { addressList, type AddressList } from '../ip-address.ts';
import { persistentSecret } from '../cache/persistent-secret.ts';
import { ConfigError, type Config } from '../config.ts';
import { createContextOpener, type OpenContext } from '../context.ts';
import { LoadShedder } from '../http/middleware/load-shedder.ts';
import { withAccessLog } from '../http/middleware/access-log.ts';
import { withApiHeaders } from '../http/middleware/api-headers.ts';
import { DeprecationUsage } from '../http/middleware/deprecation-usage.ts';
import { withRequestMetrics } from '../http/middleware/request-metrics.ts';
import { createRouter, type RouterOptions } from '../http/router.ts';
import { HttpServer } from '../http/server/http-server.ts';
import type { Timeouts } from '../http/server/timeouts.ts';
import { createNameCapacity } from '../lookup/name-capacity.ts';
import type { Stores } from '../storage/open.ts';
import type { Accounts } from './accounts.ts';
import type { Common } from './common.ts';
import { maxInputsPerName, queueTimeouts } from './settings.ts';
import type { Sources } from './sources.ts';

interface HttpDependencies {
  readonly stores: Stores;
  readonly sources: Sources;
  readonly accounts: Accounts;
  readonly trustedProxies: AddressList;
  readonly timeouts: Timeouts;
}

interface ListeningServer {
  readonly server: HttpServer;
  readonly loadShedder: LoadShedder;
  /** The address that clients use. */
  readonly url: string;
  readonly port: number;
}

/**
 * Grace period of requests in flight; closing the other parts takes the rest of the ten seconds.
 */
const graceMs = 9500;
const maxPort = 65_535;

/**
 * Builds the HTTP server and listens. Rejects with `ConfigError` if it cannot listen at the
 * configured address.
 */
export async function buildHttp(
  common: Common,
  dependencies: HttpDependencies,
): Promise<ListeningServer> {
  const { config, clock, log, tracing, instruments, disposables } = common;
  const { trustedProxies, timeouts } = dependencies;
  const loadShedder = new LoadShedder(clock);
  const address = { url: config.BASE_URL ?? '' };
  const router = createRouter(
    await routerOptions(common, dependencies, loadShedder, () => address.url),
  );
  const measured = withRequestMetrics(withApiHeaders(router, clock), clock, instruments.requests);
  const handler = tracing.router(withAccessLog(measured, clock, log));
  const server = disposables.adopt(
    new HttpServer({ handler, loadShedder, trustedProxies, timeouts, clock, log }),
    (open) => open.stop(graceMs),
  );
  const { port } = await listen(server, config);
  address.url ||= urlOf(config.HOST, port);
  return { server, loadShedder, url: address.url, port };
}

async function routerOptions(
  common: Common,
  { stores, sources, accounts, trustedProxies }: HttpDependencies,
  loadShedder: LoadShedder,
  baseUrl: () => string,
): Promise<RouterOptions> {
  const { config, clock, log, metrics, instruments, disposables } = common;
  return {
    schemas: { base: baseSchema, full: schema },
    openContext: openContextWith(common, sources, accounts),
    authenticator: accounts.authenticator,
    isReady: accounts.isReady,
    bootstrapSettled: sources.bootstrap.settled,
    limits: {
      maxTlds: config.MAX_TLDS,
      maxLookups: config.MAX_LOOKUPS,
      maxInputs: config.MAX_LOOKUPS * maxInputsPerName,
      idempotencyKeys: stores.accounts,
    },
    loadShedder,
    metrics: {
      text: () => metrics.text(),
      mediaType: metrics.mediaType,
      readers: addressList(config.METRICS_ALLOW),
      trustedProxies,
    },
    deprecationUsage: disposables.adopt(
      new DeprecationUsage(clock, log, instruments.aliasUsed),
      (usage) => usage.close(),
    ),
    corsOrigins: config.CORS_ORIGINS,
    version: packageJson.version,
    allowIntrospection: config.INTROSPECTION,
    graphiql: config.GRAPHIQL,
    sandbox: config.SANDBOX,
    registerUrl: config.REGISTER_URL,
    etagSecret: await persistentSecret('tags', stores.answers, log),
    openapi: async () => (await import('../../schema/openapi/document.ts')).openapiDocument(),
    baseUrl,
    docsUrl: () => config.DOCS_URL ?? `${baseUrl()}/docs`,
    clock,
    log,
  };
}

function openContextWith(
  { config, clock, log, instruments }: Common,
  sources: Sources,
  { ledger }: Accounts,
): OpenContext {
  const { directory, registrars, catalogue } = sources;
  return createContextOpener({
    directory,
    registrars,
    catalogue,
    ledger,
    log,
    clock,
    queueTimeouts: queueTimeouts(config),
    maxLookups: config.MAX_LOOKUPS,
    nameCapacity: createNameCapacity(),
    onOutcome: instruments.outcome,
  });
}

async function listen(server: HttpServer, { HOST, PORT }: Config): Promise<AddressInfo> {
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
        `PORT ${PORT} is not permitted. Set PORT to another port; PORT=0 picks a free one. ${String(error)}`,
      );
    throw new ConfigError(
      `HOST must be an address of this machine, got ${JSON.stringify(HOST)}. ${String(error)}`,
    );
  }
}

/** Returns the URL for clients on this machine; `localhost` replaces a wildcard address. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
