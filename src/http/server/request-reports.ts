import type { Clock } from '../../clock.ts';
import { problems } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { asProblem } from '../messages/problem-response.ts';
import type { Router } from './request-handler.ts';

/** Receives measurements of requests and responses. */
interface RequestReporter {
  /**
   * `code` is a problem code, or `ok`. `ms` is the time until the response started, if it was
   * measured.
   */
  answered(route: string, status: number, code: string, ms?: number): void;
  streamOpened(): void;
  streamEnded(route: string, outcome: 'completed' | 'aborted'): void;
}

/** Returns a router that reports each request. */
export function withRequestMetrics(
  router: Router,
  clock: Clock,
  reporter: RequestReporter,
): Router {
  const routeLabelOf = (path: string) => routeLabel(router.routeOf(path));
  return {
    ...router,
    async handle(http) {
      const startedAt = clock.elapsed();
      const report = (status: number, code: string) =>
        reporter.answered(routeLabelOf(http.path), status, code, clock.elapsed() - startedAt);
      try {
        const response = await router.handle(http);
        report(response.status, response.code ?? 'ok');
        if (isStream(response)) reportStream(routeLabelOf(http.path), http, reporter);
        return response;
      } catch (error) {
        const { status, code } = asProblem(error);
        report(status, code);
        throw error;
      }
    },
    rejectOverloaded(request, response, path) {
      reporter.answered(routeLabelOf(path), problems.overloaded.status, 'overloaded');
      router.rejectOverloaded(request, response, path);
    },
    renderParseError(problem, requestId) {
      reporter.answered(routeLabelOf(''), problem.status, problem.code);
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
  { signal, onResponseClosed }: HttpRequestContext,
  reporter: RequestReporter,
): void {
  reporter.streamOpened();
  onResponseClosed(() => reporter.streamEnded(route, signal().aborted ? 'aborted' : 'completed'));
}
