import type { Clock } from '../clock.ts';
import type { OpenContext } from '../context.ts';
import { deprecationHeaders } from '../deprecations.ts';
import type { Log } from '../log.ts';
import { once } from '../once.ts';
import { Problem } from '../problems.ts';
import type { Admission } from './admission.ts';
import type { AliasUsage } from './alias-usage.ts';
import { tagger } from './caching.ts';
import { catalogueHandler } from './catalogue-handler.ts';
import type { AdmittedHandler, Call, Handler, Reply } from './call.ts';
import { originHeaders, preflightHeaders } from './cors.ts';
import { docsHandlers, type DocsOptions } from './docs/handlers.ts';
import type { Schemas } from './documents.ts';
import { withoutFinalSlash } from './final-slash.ts';
import { graphiqlAssets, wantsPage } from './graphiql.ts';
import { graphqlHandler } from './graphql.ts';
import { graphqlRefusal, graphqlRejection } from './graphql-refusal.ts';
import type { Guard } from './guard.ts';
import { health, readiness } from './health.ts';
import { hasValidHost } from './host-header.ts';
import { mayReadMetrics, metricsHandler, metricsPath, type MetricsOptions } from './metrics.ts';
import { problemReply } from './problem.ts';
import { restHandler } from './rest.ts';
import { apiVersionHeader, catalogueRoutes, isApiPath, restRoutes, unservedPaths, type RestOptions } from './rest-routes.ts';
import { searchAssets } from './search-page.ts';
import { Rejection } from './rejection.ts';
import type { RequestHandler } from './server/http-server.ts';
import { TimeSlices } from './time-slices.ts';
import { joinVary, restVary } from './vary.ts';

export interface DoorOptions extends DocsOptions {
  readonly schemas: Schemas;
  readonly openContext: OpenContext;
  readonly guard: Guard;
  readonly isReady: () => Promise<boolean>;
  /** Settles when the list of registries is as good as it will be for now. */
  readonly settled: Promise<void>;
  readonly limits: Omit<RestOptions, 'docsUrl' | 'countAliases' | 'slices'>;
  readonly corsOrigins: readonly string[];
  /** Whether GraphQL clients may query the schema. */
  readonly introspection: boolean;
  /** What ETags cannot be made up without. */
  readonly tagSecret: string;
  readonly admission: Admission;
  readonly metrics: MetricsOptions;
  readonly aliasUsage: AliasUsage;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Doors extends RequestHandler {
  /** The path, where something is; undefined elsewhere. */
  routeOf(path: string): string | undefined;
}

type Methods = Partial<Record<'GET' | 'POST', Handler>>;

/** Every path, and who answers there. */
export function createDoors(options: DoorOptions): Doors {
  const paths = routes(options);
  const rejections = once(() => overloadRejections(options));
  const isHidden = ({ path, request }: Call) => path === metricsPath && !mayReadMetrics(request, options.metrics);
  return {
    routeOf: (path) => (paths.has(path) ? path : undefined),
    bypassesLoadShedding: (request, path) => exempt.has(path) && (path !== metricsPath || mayReadMetrics(request, options.metrics)),
    rejectOverloaded(request, response, path) {
      const { graphql, api, other } = rejections();
      (path === '/graphql' ? graphql : isApiPath(path) ? api : other).send(request, response);
    },
    async answer(call) {
      if (call.aliases.length > 0) Object.assign(call.answerHeaders, deprecationHeaders(options.docsUrl()));
      const hasHost = hasValidHost(call.request);
      const methods = isHidden(call) ? undefined : paths.get(call.path);
      const handler = call.method === 'GET' || call.method === 'POST' ? methods?.[call.method] : undefined;
      if (handler && hasHost) return handler(call);
      if (methods && call.method === 'OPTIONS' && hasHost) return preflight(methods, call);
      // What no handler answers counts, too.
      options.guard.countAddress(call);
      if (!hasHost) throw new Problem('malformed_request', 'Send one valid Host header.');
      const moved = methods ? undefined : withoutFinalSlash(call, (path) => paths.has(path));
      if (moved) return moved;
      if (!methods) throw new Problem('not_found', `There is nothing at ${call.path}.`);
      const allow = allowed(methods);
      throw new Problem('method_not_allowed', `${call.path} takes ${allow}.`, { allow });
    },
    renderError: (problem, call) => refusal(problem, call, options),
    renderParseError: (problem, requestId) => problemReply(problem, { docsUrl: options.docsUrl(), path: '', requestId }),
    commonHeaders: (origin) => originHeaders(origin, options.corsOrigins),
  };
}

/** Whether the gateway is alive, and how it is doing, must be known above all when it is overloaded. They count against no limit. */
const exempt = new Set(['/health', '/ready', metricsPath]);

function preflight(methods: Methods, { request }: Call): Reply {
  const allow = allowed(methods);
  const requested = request.headers['access-control-request-headers'];
  return { status: 204, headers: { allow, ...preflightHeaders(allow, requested) } };
}

function routes(options: DoorOptions): ReadonlyMap<string, Methods> {
  const { schemas, openContext, guard, settled, limits, admission, tagSecret, introspection, graphiql, aliasUsage, clock, log } = options;
  /** What is asked of registries: for those who are let in, and once it is known which registries there are. */
  const guarded =
    (handler: AdmittedHandler): Handler =>
    async (call) => {
      const admitted = await guard.admit(call);
      if (admitted.payer) call.whenDone(admission.countAccount(admitted.account));
      aliasUsage.count(call.aliases, admitted.account);
      await settled;
      return handler(Object.assign(call, admitted));
    };
  /** What needs no key. */
  const counted =
    (handler: Handler): Handler =>
    (call) => {
      guard.countAddress(call);
      return handler(call);
    };
  const countAliases = aliasUsage.count;
  const tagOf = tagger(tagSecret);
  const slices = new TimeSlices();
  const graphql = guarded(graphqlHandler({ schemas, openContext, maxEntries: limits.maxInputs, slices, introspection, tagOf, clock, log }));
  const { page, assets } = graphiql ? graphiqlAssets() : { page: graphql, assets: [] };
  const graphiqlPage = graphiql ? counted(page) : graphql;
  const search = searchAssets(graphiql);
  return new Map<string, Methods>([
    ['/health', { GET: health }],
    ['/ready', { GET: readiness(options.isReady, clock) }],
    [metricsPath, { GET: metricsHandler(options.metrics) }],
    ['/graphql', { GET: (call) => (wantsPage(call) ? graphiqlPage(call) : graphql(call)), POST: graphql }],
    ['/', { GET: counted(search.page) }],
    ...[...assets, ...search.assets, ...docsHandlers(options)].map(([path, handler]) => [path, { GET: counted(handler) }] as const),
    ...restRoutes({ ...limits, docsUrl: options.docsUrl, countAliases, slices }).map((route): [string, Methods] => [
      route.path,
      { [route.method]: guarded(restHandler(route, { schema: schemas.base, openContext, tagOf, clock, slices })) },
    ]),
    ...catalogueRoutes.map((route): [string, Methods] => [route.path, { GET: guarded(catalogueHandler(route, { openContext, tagOf })) }]),
    ...unservedPaths.map((path): [string, Methods] => [path, { GET: (call) => notImplemented(call, guard, aliasUsage) }]),
  ]);
}

function notImplemented(call: Call, guard: Guard, aliasUsage: AliasUsage): never {
  const { path, aliases } = call;
  aliasUsage.count(aliases, guard.countAddress(call));
  throw new Problem('not_implemented', `${path} is part of the API, but this gateway does not serve it.`);
}

function allowed(methods: Methods): string {
  return [methods.GET && 'GET, HEAD', methods.POST && 'POST', 'OPTIONS'].filter(Boolean).join(', ');
}

/** Without the parts that differ from request to request, and with CORS headers that hold for every origin, or none. */
function overloadRejections({ docsUrl, corsOrigins }: DoorOptions): Readonly<Record<'graphql' | 'api' | 'other', Rejection>> {
  const problem = new Problem('overloaded', 'The gateway has more to do than it can; try again in a moment.', { retryAfter: 1 });
  const common = originHeaders(undefined, corsOrigins);
  const rejection = (reply: Reply) => new Rejection({ ...reply, headers: { ...common, ...reply.headers } });
  const reply = problemReply(problem, { docsUrl: docsUrl() });
  const vary = joinVary(common['vary'], restVary) ?? restVary;
  return {
    graphql: rejection(graphqlRejection(problem)),
    api: rejection({ ...reply, headers: { ...reply.headers, ...apiVersionHeader, vary } }),
    other: rejection(reply),
  };
}

function refusal(problem: Problem, call: Call, { docsUrl }: DoorOptions): Reply {
  if (call.path === '/graphql') return graphqlRefusal(problem, call);
  const { path, requestId, request } = call;
  const { headers, ...reply } = problemReply(problem, { docsUrl: docsUrl(), path, requestId, accept: request.headers.accept });
  return { ...reply, headers: { ...headers, vary: 'Accept' } };
}
