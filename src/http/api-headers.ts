import type { Clock } from '../clock.ts';
import type { Doors } from './doors.ts';
import { apiVersionHeader, isApiPath } from './rest-routes.ts';

/** Adds `X-API-Version` and `X-Response-Time` (milliseconds until the response begins) to every response of the REST API, problems included. */
export function doorsWithApiHeaders(doors: Doors, clock: Clock): Doors {
  return {
    ...doors,
    async answer(call) {
      if (!isApiPath(call.path)) return doors.answer(call);
      const startedAt = clock.elapsed();
      try {
        return await doors.answer(call);
      } finally {
        const responseTime = String(Math.round(clock.elapsed() - startedAt));
        Object.assign(call.answerHeaders, apiVersionHeader, { 'x-response-time': responseTime });
      }
    },
  };
}
