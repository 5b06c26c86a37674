import type { Clock } from '../clock.ts';
import { problems } from '../domain/problems.ts';
import type { Log } from '../log.ts';
import type { HttpRequestContext, HttpResponse, Router } from './http-request-context.ts';
import { apiVersionHeader, isApiPath } from './messages/api-paths.ts';
import { asProblem } from './messages/problem-response.ts';

interface RequestReporter {
  /**
   * `code` is a problem code, or `ok`. `ms` is the time until the response started, if it was
   * measured.
   */
  answered(route: string, status: number, code: string, ms?: number): void;
  streamOpened(): void;
  streamEnded(route: string, outcome: 'completed' | 'aborted'): void;
}

/**
 * Returns a router that measures each request: for the metrics, for the headers `X-API-Version` and
 * `X-Response-Time` of REST responses, problems included, and for a line in the log at `debug`, when
 * its response is complete. The line has the route instead of the path, which may contain a domain
 * name.
 */
export function withReports(
  router: Router,
  clock: Clock,
  log: Log,
  reporter: RequestReporter,
): Router {
  return {
    ...router,
    async handle(http) {
      const startedAt = clock.elapsed();
      const report = (status: number, code: string) => {
        const ms = clock.elapsed() - startedAt;
        reporter.answered(routeLabel(http.route), status, code, ms);

        if (isApiPath(http.path)) {
          const responseTime = { 'x-response-time': String(Math.round(ms)) };
          Object.assign(http.responseHeaders, apiVersionHeader, responseTime);
        }

        if (log.isLevelEnabled('debug')) logWhenClosed(status);
      };

      const logWhenClosed = (status: number) =>
        http.onResponseEnd(() => {
          const { request, requestId, route = 'unmatched' } = http;
          const { method } = request;
          const ms = Math.round(clock.elapsed() - startedAt);
          log.debug({ method, route, status, ms, requestId }, 'Request served.');
        });

      try {
        const response = await router.handle(http);
        if (isStream(response)) reportStream(routeLabel(http.route), http, reporter);
        report(response.status, response.code ?? 'ok');
        return response;
      } catch (error) {
        const { status, code } = asProblem(error);
        report(status, code);
        throw error;
      }
    },
    renderOverload(path) {
      reporter.answered(routeLabel(router.routeOf(path)), problems.overloaded.status, 'overloaded');
      return router.renderOverload(path);
    },
    renderParseError(problem, requestId) {
      reporter.answered(routeLabel(undefined), problem.status, problem.code);
      return router.renderParseError(problem, requestId);
    },
  };
}

/** Returns one of a small set of labels, whatever path is requested. */
function routeLabel(route: string | undefined): string {
  if (route === undefined) return 'unmatched';
  return /^\/(?:graphql|mcp|health|ready|metrics|v1\/.*|rdap(?:\/.*)?)$/.test(route)
    ? route
    : 'static';
}

function isStream({ body }: HttpResponse): boolean {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function reportStream(
  route: string,
  { signal, onResponseEnd }: HttpRequestContext,
  reporter: RequestReporter,
): void {
  reporter.streamOpened();
  onResponseEnd(() => reporter.streamEnded(route, signal().aborted ? 'aborted' : 'completed'));
}
