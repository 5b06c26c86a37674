import type { Clock } from '../../clock.ts';
import { problems } from '../../domain/problems.ts';
import type { Call, Reply } from '../call.ts';
import { asProblem } from '../response/problem-response.ts';
import type { Router } from '../router.ts';

/** Counts requests and their responses. */
interface RequestReporter {
  /** `code` is a problem's, or `ok`; `ms` is the time until the response began, where the request was read. */
  answered(route: string, status: number, code: string, ms?: number): void;
  streamOpened(): void;
  streamEnded(route: string, end: 'whole' | 'cut'): void;
}

/** Returns a router that reports each request. */
export function withRequestMetrics(
  router: Router,
  clock: Clock,
  reporter: RequestReporter,
): Router {
  const labelOf = (path: string) => routeLabel(router.routeOf(path));
  return {
    ...router,
    async answer(call) {
      const startedAt = clock.elapsed();
      const report = (status: number, code: string) =>
        reporter.answered(labelOf(call.path), status, code, clock.elapsed() - startedAt);
      try {
        const reply = await router.answer(call);
        report(reply.status, reply.code ?? 'ok');
        if (isStream(reply)) reportStream(labelOf(call.path), call, reporter);
        return reply;
      } catch (error) {
        const { status, code } = asProblem(error);
        report(status, code);
        throw error;
      }
    },
    rejectOverloaded(request, response, path) {
      reporter.answered(labelOf(path), problems.overloaded.status, 'overloaded');
      router.rejectOverloaded(request, response, path);
    },
    renderParseError(problem, requestId) {
      reporter.answered(labelOf(''), problem.status, problem.code);
      return router.renderParseError(problem, requestId);
    },
  };
}

/** Returns one of few labels, whatever is requested. */
function routeLabel(route: string | undefined): string {
  if (route === undefined) return 'none';
  return /^\/(?:graphql|health|ready|metrics|v1\/.*)$/.test(route) ? route : 'pages';
}

function isStream({ body }: Reply): boolean {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function reportStream(route: string, { signal, whenDone }: Call, reporter: RequestReporter): void {
  reporter.streamOpened();
  whenDone(() => reporter.streamEnded(route, signal().aborted ? 'cut' : 'whole'));
}
