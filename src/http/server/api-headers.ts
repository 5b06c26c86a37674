import type { Clock } from '../../clock.ts';
import { apiVersionHeader, isApiPath } from '../messages/api-version.ts';
import type { Router } from './request-handler.ts';

/**
 * Returns a router that adds `X-API-Version` and `X-Response-Time` to every REST response, problems
 * included.
 */
export function withApiHeaders(router: Router, clock: Clock): Router {
  return {
    ...router,
    async handle(http) {
      if (!isApiPath(http.path)) return router.handle(http);
      const startedAt = clock.elapsed();
      try {
        return await router.handle(http);
      } finally {
        const responseTime = String(Math.round(clock.elapsed() - startedAt));
        Object.assign(http.responseHeaders, apiVersionHeader, { 'x-response-time': responseTime });
      }
    },
  };
}
