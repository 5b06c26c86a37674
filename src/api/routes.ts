import type { KeyRule } from '../accounts/authenticate.ts';
import type { Clock } from '../clock.ts';
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
import type { Authenticator } from '../server/authenticate.ts';
import type { OAuthIssuer } from '../server/oauth-issuer.ts';
import type { LoadShedder } from '../server/load-shedder.ts';
import type { CountAliases } from '../server/messages/deprecations.ts';
import { metricsHandler, metricsPath, type MetricsOptions } from '../server/metrics-endpoint.ts';

/** The options of all routes: those that several groups share, and one member for each group. */
export interface RouteOptions {
  readonly clock: Clock;
  readonly corsOrigins: readonly string[];
  /** The addresses that clients use; both are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
  readonly graphiql: boolean;
  readonly access: AccessOptions;
  /** Returns whether the gateway can serve requests. */
  readonly isReady: () => Promise<boolean>;
  readonly metrics: MetricsOptions;
  readonly docs: Omit<DocsOptions, keyof PageOptions>;
  readonly search: Omit<SearchPageOptions, keyof PageOptions>;
  /** The TLDs of which AVAILABLE answers were judged again. */
  readonly accuracy: Catalogue['accuracy'];
  /** What the operator page shows; undefined if it is off. */
  readonly operator: OperatorPageOptions | undefined;
  readonly graphql: GraphqlOptions;
  readonly endpoints: readonly Endpoint[];
  readonly rest: RestHandlerOptions;
  readonly rdap: Omit<RdapRouteOptions, keyof Access>;
  readonly mcp: McpOptions;
  /** Where clients of `/mcp` may log in; undefined if they need a key. */
  readonly oauth: OAuthIssuer | undefined;
  /** The routes of features that the API does not know. */
  readonly features: readonly FeatureRoute[];
}

type PageOptions = Pick<RouteOptions, 'baseUrl' | 'docsUrl' | 'graphiql'>;

/** What every request passes before its handler. */
interface AccessOptions {
  readonly authenticator: Authenticator;
  readonly loadShedder: LoadShedder;
  readonly countAliases: CountAliases;
  /** Settles after the first attempt to load the bootstrap document, within two seconds. */
  readonly bootstrapSettled: Promise<void>;
}

export const handledMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof handledMethods)[number];

export type MethodHandlers = Partial<Record<Method, Handler>>;

/** A route of a feature, whose handlers need a key. */
export interface FeatureRoute {
  /** The path, in which one segment may be variable, such as `/v1/watches/{domain}`. */
  readonly path: string;
  readonly methods: Partial<Record<Method, AuthenticatedHandler>>;
  /** Returns how a request needs a key, if not as `AUTH` says: its handler checks something else. */
  readonly ruleOf?: (http: HttpRequestContext) => KeyRule | undefined;
}

interface FoundRoute {
  readonly name: string;
  readonly methods: MethodHandlers;
  /** The variable segment of the path. */
  readonly segment?: string | undefined;
}

export interface Routes {
  /** Returns the route of a path. Its name is the path without the name that is looked up. */
  find(path: string): FoundRoute | undefined;
}

type Route = readonly [path: string, methods: MethodHandlers];

function routeOf({ path, handler }: Asset): Route {
  return [path, { GET: handler }];
}

/** Creates the handlers of all paths. */
export function createRoutes(options: RouteOptions): Routes {
  const access = accessOf(options.access);
  const handlers = new Map<string, MethodHandlers>([
    ['/health', { GET: () => jsonResponse(200, { status: 'ok' }, noStore) }],
    ['/ready', { GET: readyHandler(options) }],
    [metricsPath, { GET: metricsHandler(options.metrics) }],
    ...pageRoutes(options, access),
    ...operatorRoutes(options, access),
    ...graphqlRoutes(options, access),
    ...options.endpoints.map((endpoint): Route => {
      const handler = restHandler(endpoint, options.rest);
      return [endpoint.path, { [endpoint.method]: access.authenticated(handler) }];
    }),
    ...oauthRoutes(options, access),
    ['/mcp', { POST: access.authenticated(mcpHandler(options.mcp), { tokens: options.oauth }) }],
  ]);
  const findRdap = rdapRoutes({ ...options.rdap, ...access });
  const features = options.features.map(({ path, methods, ruleOf }) => ({
    name: path,
    pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/, '([^/]+)')}$`),
    methods: Object.fromEntries(
      Object.entries(methods).map(([method, handler]) => [
        method,
        access.authenticated(handler, { ruleOf }),
      ]),
    ),
  }));

  return {
    find(path) {
      const methods = handlers.get(path);
      if (methods) return { name: path, methods };

      const rdap = findRdap(path);
      if (rdap) return { name: rdap.name, methods: { GET: rdap.handler } };

      const feature = features.find(({ pattern }) => pattern.test(path));
      return feature && { ...feature, segment: feature.pattern.exec(path)?.[1] };
    },
  };
}

function pageRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { baseUrl, docsUrl, graphiql } = options;
  const shared = { baseUrl, docsUrl, graphiql };
  const { page, assets } = searchAssets({ ...options.search, ...shared });
  // The files of a page do not count against the rate limit: it would stay blank at a low one.
  const docs = [
    ...docsHandlers({ ...options.docs, ...shared }),
    [accuracyPath, accuracyPage(options.accuracy, graphiql)] as const,
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
  const { hasKeys } = options.operator;
  const ruleOf = () => (hasKeys ? 'basic' : 'open');
  const handlers = {
    GET: access.authenticated(page, { ruleOf }),
    POST: access.authenticated(submit, { ruleOf }),
  };

  return [[operatorPath, handlers], routeOf(style)];
}

function graphqlRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const graphql = access.authenticatedGraphql(graphqlHandler(options.graphql));
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

type Access = ReturnType<typeof accessOf>;

/** How a handler needs a key: as `AUTH` says, by default. */
interface KeyOptions {
  readonly ruleOf?: ((http: HttpRequestContext) => KeyRule | undefined) | undefined;
  /** The issuer of the access tokens that are accepted besides keys. */
  readonly tokens?: OAuthIssuer | undefined;
}

/** Returns functions that wrap handlers with authentication, rate limits and usage counts. */
function accessOf({ authenticator, loadShedder, countAliases, bootstrapSettled }: AccessOptions) {
  /**
   * Authenticates a request, and waits for the bootstrap document before handling it. The handler
   * must reject operations that the key does not list.
   */
  const authenticatedGraphql =
    (handler: AuthenticatedHandler, { ruleOf, tokens }: KeyOptions = {}): Handler =>
    async (request) => {
      const principal = await authenticator.authenticate(request, ruleOf?.(request), tokens);
      if (principal.payer) request.onResponseEnd(loadShedder.countAccount(principal.account));
      countAliases(request.usedAliases, principal.account);
      await bootstrapSettled;
      return handler(Object.assign(request, principal));
    };

  /** Authenticates a request. Keys that are limited to documents are rejected. */
  const authenticated = (handler: AuthenticatedHandler, options?: KeyOptions): Handler =>
    authenticatedGraphql((request) => {
      if (!request.payer?.documents) return handler(request);
      const detail = `This API key is limited to listed GraphQL documents, so it cannot be used at ${request.path}.`;
      throw new Problem('forbidden_operation', detail);
    }, options);

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
