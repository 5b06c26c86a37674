import type { IdempotencyKeys } from '../accounts/idempotency.ts';
import type { Clock } from '../clock.ts';
import type { Execution } from '../execution/execution.ts';
import type { Log } from '../log.ts';
import { Problem } from '../domain/problems.ts';
import type { LoadShedder } from './server/load-shedder.ts';
import { createEtagFactory } from './messages/etag.ts';
import type { AuthenticatedHandler, Handler } from './http-request-context.ts';
import { docsHandlers, type DocsOptions } from './pages/docs/handlers.ts';
import { graphiqlAssets, wantsPage } from './pages/graphiql-page.ts';
import { graphqlHandler } from './graphql/handler.ts';
import { health, Readiness } from './server/health.ts';
import { metricsHandler, metricsPath, type MetricsOptions } from './server/metrics-endpoint.ts';
import type { Authenticator } from './server/authenticate.ts';
import type { CountAliases } from './server/deprecation-usage.ts';
import { mcpHandler } from './mcp/handler.ts';
import { responseUrl } from './rdap/rdap-path.ts';
import { rdapRoutes, type RdapRouteOptions } from './rdap/rdap-routes.ts';
import { restHandler, type RestOptions } from './rest/endpoint.ts';
import { endpoints } from './rest/endpoints.ts';
import { idempotencyRecordOpener } from './rest/idempotency-key.ts';
import type { NameLimits } from './mcp/check-domains.ts';
import { searchAssets, type SearchPageOptions } from './pages/search-page.ts';
import type { TimeSlices } from '../execution/time-slices.ts';

export interface RouteOptions extends DocsOptions, SearchPageOptions {
  readonly execution: Execution;
  readonly slices: TimeSlices;
  readonly authenticator: Authenticator;
  readonly isReady: () => Promise<boolean>;
  /** Settles after the first attempt to load the bootstrap document, within two seconds. */
  readonly bootstrapSettled: Promise<void>;
  readonly limits: Pick<RestOptions, 'maxTlds' | 'maxInputs'> & NameLimits;
  readonly idempotencyKeys: IdempotencyKeys;
  /** Whether GraphQL clients may query the schema. */
  readonly allowIntrospection: boolean;
  /** The key of the hash in ETags. */
  readonly etagSecret: string;
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** The version of the gateway. */
  readonly version: string;
  /** How `/rdap` answers lookups. */
  readonly rdap: Pick<RdapRouteOptions, 'mode' | 'directories'>;
  readonly loadShedder: LoadShedder;
  readonly metrics: MetricsOptions;
  readonly countAliases: CountAliases;
  readonly clock: Clock;
  readonly log: Log;
}

/** The handlers of a path, by method. */
export type MethodHandlers = Partial<Record<'GET' | 'POST', Handler>>;

/** Finds routes. */
export interface Routes {
  /** Returns the route of a path. Its name is the path without the name that is looked up. */
  find(path: string): { readonly name: string; readonly methods: MethodHandlers } | undefined;
}

type Route = readonly [path: string, methods: MethodHandlers];

/** Creates the handlers of all paths. */
export function createRoutes(options: RouteOptions): Routes {
  const access = new Access(options);
  const readiness = new Readiness(options.isReady, options.clock);
  const handlers = new Map<string, MethodHandlers>([
    ['/health', { GET: health }],
    ['/ready', { GET: () => readiness.respond() }],
    [metricsPath, { GET: metricsHandler(options.metrics) }],
    ...pageRoutes(options, access),
    ...graphqlRoutes(options, access),
    ...restApiRoutes(options, access),
    ['/mcp', { POST: access.authenticated(mcpEndpoint(options)) }],
  ]);
  const findRdap = rdapRoutes(rdapOptions(options, access));
  return {
    find(path) {
      const methods = handlers.get(path);
      if (methods) return { name: path, methods };
      const rdap = findRdap(path);
      return rdap && { name: rdap.name, methods: { GET: rdap.handler } };
    },
  };
}

function pageRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { page, assets } = searchAssets(options);
  const handlers = [['/', page] as const, ...assets, ...docsHandlers(options)];
  return handlers.map(([path, handler]): Route => [path, { GET: access.withoutKey(handler) }]);
}

function graphqlRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { execution, allowIntrospection, etagSecret, graphiql, docsUrl, clock, log } = options;
  const etagOf = createEtagFactory(etagSecret);
  const graphql = access.authenticatedGraphql(
    graphqlHandler({ execution, allowIntrospection, etagOf, docsUrl, clock, log }),
  );
  if (!graphiql) return [['/graphql', { GET: graphql, POST: graphql }]];
  const { page, assets } = graphiqlAssets();
  const pageHandler = access.withoutKey(page);
  return [
    [
      '/graphql',
      {
        GET: (request) => (wantsPage(request) ? pageHandler(request) : graphql(request)),
        POST: graphql,
      },
    ],
    ...assets.map(([path, handler]): Route => [path, { GET: access.withoutKey(handler) }]),
  ];
}

function restApiRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { execution, limits, slices, etagSecret, docsUrl, countAliases, clock } = options;
  const rest: RestOptions = {
    ...limits,
    openIdempotencyRecord: idempotencyRecordOpener(options.idempotencyKeys),
    docsUrl,
    countAliases,
    slices,
  };
  const handlerOptions = { execution, etagOf: createEtagFactory(etagSecret), clock, rest };
  return endpoints.map((endpoint): Route => {
    const handler = restHandler(endpoint, handlerOptions);
    return [endpoint.path, { [endpoint.method]: access.authenticated(handler) }];
  });
}

function rdapOptions(options: RouteOptions, access: Access): RdapRouteOptions {
  const { execution, etagSecret, clock, docsUrl, baseUrl, rdap } = options;
  return {
    ...rdap,
    execution,
    etagOf: createEtagFactory(etagSecret),
    clock,
    docsUrl,
    urlOf: (path) => responseUrl(baseUrl(), path),
    authenticated: (handler) => access.authenticated(handler),
    withoutKey: (handler) => access.withoutKey(handler),
  };
}

function mcpEndpoint(options: RouteOptions): AuthenticatedHandler {
  const { execution, limits, version, corsOrigins, baseUrl, log } = options;
  return mcpHandler({
    execution,
    maxLookups: limits.maxLookups,
    maxInputs: limits.maxInputs,
    version,
    corsOrigins,
    baseUrl,
    log,
  });
}

/** Wraps handlers with authentication, rate limits and usage counts. */
class Access {
  readonly #options: RouteOptions;

  constructor(options: RouteOptions) {
    this.#options = options;
  }

  /** Authenticates a request. Keys that are limited to documents are rejected. */
  authenticated(handler: AuthenticatedHandler): Handler {
    return this.authenticatedGraphql((request) => {
      if (request.payer?.documents)
        throw new Problem(
          'forbidden_operation',
          `This API key is limited to listed GraphQL documents, so it cannot be used at ${request.path}.`,
        );
      return handler(request);
    });
  }

  /**
   * Authenticates a request, and waits for the bootstrap document before handling it. The handler
   * must reject operations that the key does not list.
   */
  authenticatedGraphql(handler: AuthenticatedHandler): Handler {
    const { authenticator, loadShedder, countAliases, bootstrapSettled } = this.#options;
    return async (request) => {
      const principal = await authenticator.authenticate(request);
      if (principal.payer) request.onResponseClosed(loadShedder.countAccount(principal.account));
      countAliases(request.usedAliases, principal.account);
      await bootstrapSettled;
      return handler(Object.assign(request, principal));
    };
  }

  /** Requires no key. Only the rate limit per address applies. */
  withoutKey(handler: Handler): Handler {
    return (request) => {
      this.#options.authenticator.countAddress(request);
      return handler(request);
    };
  }
}
