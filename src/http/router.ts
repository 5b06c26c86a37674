import { basename } from 'node:path';
import { deprecationHeaders } from './response/deprecations.ts';
import { Problem } from '../domain/problems.ts';
import type { Call, Reply } from './call.ts';
import { wantsPage } from './pages/graphiql-page.ts';
import { graphqlRefusal } from './graphql/problem-response.ts';
import { hasValidHost } from './server/request-target.ts';
import { mayReadMetrics, metricsPath } from './ops/metrics-endpoint.ts';
import { originHeaders, preflightHeaders } from './middleware/cors.ts';
import { OverloadRejections } from './middleware/overload-response.ts';
import { problemReply } from './response/problem-response.ts';
import { createRoutes, type Methods, type RouteOptions, type Routes } from './routes.ts';
import type { RequestHandler } from './server/http-server.ts';

export interface RouterOptions extends RouteOptions {
  readonly corsOrigins: readonly string[];
}

export interface Router extends RequestHandler {
  /** Returns the path if a route has it, else undefined. */
  routeOf(path: string): string | undefined;
}

/** Routes requests by path and method. */
export function createRouter(options: RouterOptions): Router {
  const routes = createRoutes(options);
  const rejections = new OverloadRejections(options);
  return {
    routeOf: (path) => (routes.has(path) ? path : undefined),
    bypassesLoadShedding: (request, path) =>
      exempt.has(path) && (path !== metricsPath || mayReadMetrics(request, options.metrics)),
    rejectOverloaded: (request, response, path) => rejections.send(request, response, path),
    answer: async (call) => answer(call, routes, options),
    renderError: (problem, call) => renderError(problem, call, options),
    renderParseError: (problem, requestId) =>
      problemReply(problem, { docsUrl: options.docsUrl(), path: '', requestId }),
    commonHeaders: (origin) => originHeaders(origin, options.corsOrigins),
  };
}

/** Health and metrics must be readable above all under overload. They count against no rate limit. */
const exempt = new Set(['/health', '/ready', metricsPath]);

function answer(call: Call, routes: Routes, options: RouterOptions): Reply | Promise<Reply> {
  if (call.aliases.length > 0)
    Object.assign(call.answerHeaders, deprecationHeaders(options.docsUrl()));
  const isHidden = call.path === metricsPath && !mayReadMetrics(call.request, options.metrics);
  const methods = isHidden ? undefined : routes.get(call.path);
  const hasHost = hasValidHost(call.request);
  const handler =
    call.method === 'GET' || call.method === 'POST' ? methods?.[call.method] : undefined;
  if (handler && hasHost) return handler(call);
  if (methods && call.method === 'OPTIONS' && hasHost) return preflight(methods, call);
  // What no handler answers counts, too.
  options.authenticator.countAddress(call);
  if (!hasHost) throw new Problem('malformed_request', 'Send one valid Host header.');
  const redirect = methods ? undefined : redirectTrailingSlash(call, routes);
  if (redirect) return redirect;
  if (!methods) throw new Problem('not_found', `There is nothing at ${call.path}.`);
  const allow = allowed(methods);
  throw new Problem('method_not_allowed', `${call.path} takes ${allow}.`, { allow });
}

function preflight(methods: Methods, { request }: Call): Reply {
  const allow = allowed(methods);
  const requested = request.headers['access-control-request-headers'];
  return { status: 204, headers: { allow, ...preflightHeaders(allow, requested) } };
}

function allowed(methods: Methods): string {
  return [methods.GET && 'GET, HEAD', methods.POST && 'POST', 'OPTIONS'].filter(Boolean).join(', ');
}

/** Redirects to the page that is meant by a path with a trailing slash. Returns undefined where there is none, and for programs at `/graphql`. */
function redirectTrailingSlash(call: Call, routes: Routes): Reply | undefined {
  const path = call.path.replace(/\/$/, '');
  const isPage = path === '/graphql' ? wantsPage(call) : /^\/docs(?:\/|$)/.test(path);
  if (call.method !== 'GET' || path === call.path || !isPage || !routes.has(path)) return undefined;
  // Relative, so that a gateway below a path of a proxy finds its pages too.
  return {
    status: 308,
    headers: { location: `../${basename(path)}`, 'cache-control': 'no-cache', vary: 'Accept' },
  };
}

function renderError(problem: Problem, call: Call, { docsUrl }: RouterOptions): Reply {
  if (call.path === '/graphql') return graphqlRefusal(problem, call);
  const { path, requestId, request } = call;
  const { headers, ...reply } = problemReply(problem, {
    docsUrl: docsUrl(),
    path,
    requestId,
    accept: request.headers.accept,
  });
  return { ...reply, headers: { ...headers, vary: 'Accept' } };
}
