import { basename } from 'node:path';
import { deprecationHeaders, findUsedAliases } from '../server/messages/deprecations.ts';
import { Problem } from '../domain/problems.ts';
import type { HttpRequestContext, HttpResponse, Router } from '../server/http-request-context.ts';
import { wantsPage } from '../website/graphiql-page.ts';
import { acceptsPage, createNotFoundPage } from '../website/not-found-page.ts';
import { hasValidHost } from '../server/request-target.ts';
import { mayReadMetrics, metricsPath } from '../server/metrics-endpoint.ts';
import { originHeaders, preflightHeaders } from '../server/cors.ts';
import { problemResponse } from '../server/messages/problem-response.ts';
import {
  apiVersionHeader,
  isApiPath,
  isRdapPath,
  joinVary,
  varyAt,
} from '../server/messages/api-paths.ts';
import { similarName } from '../shared/similar-name.ts';
import { problemFormats } from './problem-formats.ts';
import { createRoutes, handledMethods } from './routes.ts';
import type { MethodHandlers, RouteOptions, Routes } from './routes.ts';

/** Routes requests by path and method. */
export function createRouter(options: RouteOptions): Router {
  const routes = createRoutes(options);
  const aliases = Map.groupBy(
    options.endpoints.flatMap((endpoint) => endpoint.aliases),
    ({ path }) => path,
  );
  const notFoundPage = createNotFoundPage(options.graphiql);
  const formatOf = problemFormats(options);

  return {
    routeOf: (path) => routes.find(path)?.name,
    bypassesLoadShedding: (request, path) =>
      exemptPaths.has(path) && (path !== metricsPath || mayReadMetrics(request, options.metrics)),
    renderOverload: (path) => renderOverload(path, formatOf, options),
    handle: (http) => {
      http.usedAliases = findUsedAliases(aliases.get(http.path) ?? [], http.query);
      return answer(http, routes, options);
    },
    renderError: (problem, http) =>
      problem.code === 'not_found' && acceptsPage(http) && !isRdapPath(http.path)
        ? notFoundPage(http)
        : formatOf(http.path)(problem, http),
    renderParseError: (problem, requestId) =>
      problemResponse(problem, { docsUrl: options.docsUrl(), path: '', requestId }),
    commonHeaders: (origin) => originHeaders(origin, options.corsOrigins),
  };
}

/** Health and metrics must be readable during overload. They count against no rate limit. */
const exemptPaths = new Set(['/health', '/ready', metricsPath]);

function answer(
  http: HttpRequestContext,
  routes: Routes,
  options: RouteOptions,
): HttpResponse | Promise<HttpResponse> {
  if (http.usedAliases.length > 0)
    Object.assign(http.responseHeaders, deprecationHeaders(options.docsUrl()));
  const route = routes.find(http.path);
  http.route = route?.name;
  if (route?.segment !== undefined) http.segment = route.segment;

  const isHidden = http.path === metricsPath && !mayReadMetrics(http.request, options.metrics);
  const methods = isHidden ? undefined : route?.methods;
  const hasHost = hasValidHost(http.request);
  const method = handledMethods.find((known) => known === http.method);
  const handler = method && methods?.[method];
  if (handler && hasHost) return handler(http);
  if (http.method === 'OPTIONS' && hasHost && (methods || isPreflight(http)))
    return preflight(methods, http);

  // Requests that no handler accepts count against the rate limit per address, too.
  options.access.authenticator.countAddress(http);
  if (!hasHost) throw new Problem('malformed_request', 'Send one valid Host header.');

  const redirect = methods ? undefined : redirectTrailingSlash(http, routes);
  if (redirect) return redirect;
  if (!methods) throw unknownPath(http.path, options);

  const allow = allowHeader(methods);
  throw new Problem('method_not_allowed', `${http.path} supports ${allow}.`, { allow });
}

/** Longer paths are no typing errors, and would take long to compare. */
const maxComparedLength = 40;

function unknownPath(path: string, { endpoints }: RouteOptions): Problem {
  const known = endpoints.map((endpoint) => endpoint.path);
  const similar = path.length > maxComparedLength ? undefined : similarName(path, known);
  const suggestion = similar ? ` A similar path is ${similar}.` : '';
  return new Problem('not_found', `${path} does not exist.${suggestion}`);
}

/** Returns whether a browser asks if a page may send a request (Fetch standard, section 3.3.2). */
function isPreflight({ request }: HttpRequestContext): boolean {
  return request.headers['access-control-request-method'] !== undefined;
}

/** Allows every method at a path that does not exist: pages can read the 404 only after a preflight. */
function preflight(
  methods: MethodHandlers | undefined,
  { request }: HttpRequestContext,
): HttpResponse {
  const allow = methods ? allowHeader(methods) : 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
  const requested = request.headers['access-control-request-headers'];
  const headers = preflightHeaders(allow, requested);
  return { status: 204, headers: methods ? { allow, ...headers } : headers };
}

function allowHeader(methods: MethodHandlers): string {
  const allowed = handledMethods.filter((method) => methods[method]);
  return [...allowed, 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD');
}

/** Clients accept headers of 16 KiB in all, or less, and encoding a query lengthens it. */
const maxLocationLength = 8000;

/**
 * Redirects a path with a trailing slash to the page without it. Returns undefined if there is no
 * such page, for a long query, and for API clients at `/graphql`.
 */
function redirectTrailingSlash(
  request: HttpRequestContext,
  routes: Routes,
): HttpResponse | undefined {
  const path = request.path.replace(/\/$/, '');
  const isPage = path === '/graphql' ? wantsPage(request) : /^\/docs(?:\/|$)/.test(path);
  if (request.method !== 'GET' || path === request.path || !isPage || !routes.find(path))
    return undefined;

  // A relative URL also works if a proxy serves the gateway under a path prefix.
  const location = `../${basename(path)}${request.query.size > 0 ? `?${request.query}` : ''}`;
  if (location.length > maxLocationLength) return undefined;

  return {
    status: 308,
    headers: {
      location,
      'cache-control': 'no-cache',
      vary: 'Accept',
    },
  };
}

/** Renders the rejection of a request that was not read. Node omits its body for HEAD. */
function renderOverload(
  path: string,
  formatOf: ReturnType<typeof problemFormats>,
  { corsOrigins }: RouteOptions,
): HttpResponse {
  const problem = new Problem('overloaded', 'The gateway is overloaded. Try again in a moment.', {
    retryAfter: 1,
  });
  const { headers, ...response } = formatOf(path)(problem);

  // Valid for every origin, or omitted.
  const common = originHeaders(undefined, corsOrigins);
  const vary = joinVary(common['vary'], varyAt(path));

  return {
    ...response,
    headers: {
      ...common,
      ...(isApiPath(path) && apiVersionHeader),
      ...headers,
      ...(vary !== undefined && { vary }),
      connection: 'close',
    },
  };
}
