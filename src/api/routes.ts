import type { IdempotencyKeys } from '../accounts/idempotency.ts';
import type { KeyRule } from '../accounts/authenticate.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { Problem } from '../domain/problems.ts';
import { graphqlHandler, type GraphqlOptions } from './graphql/handler.ts';
import {
  jsonResponse,
  type AuthenticatedHandler,
  type Handler,
  type HttpRequestContext,
} from '../server/http-request-context.ts';
import { mcpHandler, type McpOptions } from './mcp/handler.ts';
import { docsHandlers, type DocsOptions } from '../website/docs/handlers.ts';
import { accuracyPage, accuracyPath } from '../website/accuracy-page.ts';
import { graphiqlAssets, wantsPage } from '../website/graphiql-page.ts';
import {
  operatorPage,
  operatorPath,
  type OperatorPageOptions,
} from '../website/operator/operator-page.ts';
import type { Asset } from '../website/assets.ts';
import { searchAssets, type SearchPageOptions } from '../website/search-page.ts';
import { rdapRoutes, type RdapRouteOptions } from './rdap/rdap-routes.ts';
import { restHandler, type Endpoint, type RestHandlerOptions } from './rest/endpoint.ts';
import { idempotencyRecordOpener } from './rest/idempotency-key.ts';
import type { Authenticator } from '../server/authenticate.ts';
import type { OAuthIssuer } from '../server/oauth-issuer.ts';
import type { LoadShedder } from '../server/load-shedder.ts';
import { metricsHandler, metricsPath, type MetricsOptions } from '../server/metrics-endpoint.ts';

export interface RouteOptions
  extends
    DocsOptions,
    SearchPageOptions,
    GraphqlOptions,
    McpOptions,
    Omit<RestHandlerOptions, 'openIdempotencyRecord'> {
  readonly endpoints: readonly Endpoint[];
  /** What the operator page shows; undefined if it is off. */
  readonly operator: OperatorPageOptions | undefined;
  /** The TLDs of which AVAILABLE answers were judged again. */
  readonly accuracy: Catalogue['accuracy'];
  readonly authenticator: Authenticator;
  /** Where clients of `/mcp` may log in; undefined if they need a key. */
  readonly oauth: OAuthIssuer | undefined;
  readonly isReady: () => Promise<boolean>;
  /** Settles after the first attempt to load the bootstrap document, within two seconds. */
  readonly bootstrapSettled: Promise<void>;
  readonly idempotencyKeys: IdempotencyKeys;
  /** How `/rdap` answers lookups. */
  readonly rdap: Pick<RdapRouteOptions, 'mode' | 'directories'>;
  readonly loadShedder: LoadShedder;
  readonly metrics: MetricsOptions;
  /** Finds the routes of features that the API does not know. */
  readonly findFeature: (path: string) => FeatureRoute | undefined;
}

export const handledMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof handledMethods)[number];

/** The handlers of a path, by method. */
export type MethodHandlers = Partial<Record<Method, Handler>>;

/** A route with a variable path, whose handlers need a key. */
export interface FeatureRoute {
  /** The path with the names of its parameters, such as `/v1/watches/{domain}`. */
  readonly name: string;
  readonly methods: Partial<Record<Method, AuthenticatedHandler>>;
  /** Returns how a request needs a key, if not as `AUTH` says: its handler checks something else. */
  readonly ruleOf?: (http: HttpRequestContext) => KeyRule | undefined;
}

/** Finds routes. */
export interface Routes {
  /** Returns the route of a path. Its name is the path without the name that is looked up. */
  find(path: string): { readonly name: string; readonly methods: MethodHandlers } | undefined;
}

type Route = readonly [path: string, methods: MethodHandlers];

function routeOf({ path, handler }: Asset): Route {
  return [path, { GET: handler }];
}

/** Creates the handlers of all paths. */
export function createRoutes(options: RouteOptions): Routes {
  const access = accessOf(options);
  const handlers = new Map<string, MethodHandlers>([
    ['/health', { GET: health }],
    ['/ready', { GET: readyHandler(options) }],
    [metricsPath, { GET: metricsHandler(options.metrics) }],
    ...pageRoutes(options, access),
    ...operatorRoutes(options, access),
    ...graphqlRoutes(options, access),
    ...restApiRoutes(options, access),
    ...oauthRoutes(options, access),
    ['/mcp', { POST: access.authenticated(mcpHandler(options), undefined, options.oauth) }],
  ]);
  const findRdap = rdapRoutes({ ...options, ...options.rdap, ...access });

  return {
    find(path) {
      const methods = handlers.get(path);
      if (methods) return { name: path, methods };

      const rdap = findRdap(path);
      if (rdap) return { name: rdap.name, methods: { GET: rdap.handler } };

      const feature = options.findFeature(path);
      if (!feature) return undefined;

      const wrapped = Object.entries(feature.methods).map(([method, handler]) => [
        method,
        (http: HttpRequestContext) => access.authenticated(handler, feature.ruleOf?.(http))(http),
      ]);

      return { name: feature.name, methods: Object.fromEntries(wrapped) };
    },
  };
}

function pageRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { page, assets } = searchAssets(options);
  // The files of a page do not count against the rate limit: it would stay blank at a low one.
  const docs = [
    ...docsHandlers(options),
    [accuracyPath, accuracyPage(options.accuracy, options.graphiql)] as const,
  ];

  return [
    ['/', { GET: page }],
    ...assets.map(routeOf),
    ...docs.map(([path, handler]): Route => [path, { GET: access.withoutKey(handler) }]),
  ];
}

/** The metadata of the resource `/mcp` is at the place for its path, and at that for the origin. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp';

function oauthRoutes({ oauth, docsUrl }: RouteOptions, access: Access): readonly Route[] {
  if (!oauth) return [];
  const handler = access.withoutKey(() =>
    jsonResponse(200, oauth.resourceMetadata(`${docsUrl()}/mcp`), noStore),
  );
  const paths = [resourceMetadataPath, resourceMetadataPath.replace(/\/mcp$/, '')];
  return paths.map((path) => [path, { GET: handler }]);
}

function operatorRoutes(options: RouteOptions, access: Access): readonly Route[] {
  if (!options.operator) return [];

  const { page, submit, style } = operatorPage(options.operator, options);
  // Without keys, the page says so instead of asking for one.
  const rule = options.operator.hasKeys ? 'basic' : 'open';
  const handlers = {
    GET: access.authenticated(page, rule),
    POST: access.authenticated(submit, rule),
  };

  return [[operatorPath, handlers], routeOf(style)];
}

function graphqlRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const graphql = access.authenticatedGraphql(graphqlHandler(options));
  if (!options.graphiql) return [['/graphql', { GET: graphql, POST: graphql }]];

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
    ...assets.map(routeOf),
  ];
}

function restApiRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const openIdempotencyRecord = idempotencyRecordOpener(options.idempotencyKeys);
  return options.endpoints.map((endpoint): Route => {
    const handler = restHandler(endpoint, { ...options, openIdempotencyRecord });
    return [endpoint.path, { [endpoint.method]: access.authenticated(handler) }];
  });
}

type Access = ReturnType<typeof accessOf>;

/** Returns functions that wrap handlers with authentication, rate limits and usage counts. */
function accessOf(options: RouteOptions) {
  const { authenticator, loadShedder, countAliases, bootstrapSettled } = options;
  /**
   * Authenticates a request, and waits for the bootstrap document before handling it. The handler
   * must reject operations that the key does not list.
   */
  const authenticatedGraphql =
    (handler: AuthenticatedHandler, rule?: KeyRule, tokens?: OAuthIssuer): Handler =>
    async (request) => {
      const principal = await authenticator.authenticate(request, rule, tokens);
      if (principal.payer) request.onResponseEnd(loadShedder.countAccount(principal.account));
      countAliases(request.usedAliases, principal.account);
      await bootstrapSettled;
      return handler(Object.assign(request, principal));
    };

  /** Authenticates a request. Keys that are limited to documents are rejected. */
  const authenticated = (
    handler: AuthenticatedHandler,
    rule?: KeyRule,
    tokens?: OAuthIssuer,
  ): Handler =>
    authenticatedGraphql(
      (request) => {
        if (!request.payer?.documents) return handler(request);
        const detail = `This API key is limited to listed GraphQL documents, so it cannot be used at ${request.path}.`;
        throw new Problem('forbidden_operation', detail);
      },
      rule,
      tokens,
    );

  /** Requires no key. Only the rate limit per address applies. */
  const withoutKey =
    (handler: Handler): Handler =>
    (request) => {
      authenticator.countAddress(request);
      return handler(request);
    };

  return { authenticated, authenticatedGraphql, withoutKey };
}

const noStore = { 'cache-control': 'no-store' };
const resultTtlMs = 250;

/** Responds with 200 while the process runs. */
const health: Handler = () => jsonResponse(200, { status: 'ok' }, noStore);

/**
 * Returns a handler that reports whether the gateway can serve requests. The reason is only logged. A
 * check writes to the ledger, so its result is shared for 250 ms.
 */
function readyHandler({ isReady, clock }: RouteOptions): Handler {
  let result: Promise<boolean> | undefined;
  let expiresAt = -Infinity;
  const check = () => {
    expiresAt = Infinity;
    return isReady().finally(() => (expiresAt = clock.elapsed() + resultTtlMs));
  };

  return async () => {
    if (!result || clock.elapsed() >= expiresAt) result = check();
    const ready = await result;
    return jsonResponse(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready' }, noStore);
  };
}
