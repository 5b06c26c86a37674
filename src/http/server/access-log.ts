import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { asProblem } from '../messages/problem-response.ts';
import type { Router } from './request-handler.ts';

/**
 * Returns a router that logs each request at `debug`, when its response is complete. It logs the
 * route instead of the path, which may contain a domain name.
 */
export function withAccessLog(router: Router, clock: Clock, log: Log): Router {
  if (!log.isLevelEnabled('debug')) return router;
  return {
    ...router,
    async handle(http) {
      const startedAt = clock.elapsed();
      const { request, requestId } = http;
      const { method } = request;
      const route = router.routeOf(http.path) ?? 'unmatched';
      const logWhenClosed = (status: number) =>
        http.onResponseClosed(() => {
          const ms = Math.round(clock.elapsed() - startedAt);
          log.debug({ method, route, status, ms, requestId }, 'Request served.');
        });
      try {
        const response = await router.handle(http);
        logWhenClosed(response.status);
        return response;
      } catch (error) {
        logWhenClosed(asProblem(error).status);
        throw error;
      }
    },
  };
}
