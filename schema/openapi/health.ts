import type { JsonObject } from '../../src/domain/registration.ts';
import { headerRefs } from './headers.ts';
import { problemResponses } from './responses.ts';

/** `/health` and `/ready`, for whoever keeps the gateway running. */
export const healthPaths: JsonObject = {
  '/health': {
    get: probeOperation(
      'getHealth',
      'Whether the process is alive',
      'For liveness probes. It checks nothing else, needs no key, counts against no limit and is answered under overload.',
      { 200: probeResponse('Alive.', 'ok') },
    ),
  },
  '/ready': {
    get: probeOperation(
      'getReady',
      'Whether it can serve',
      'For readiness probes and load balancers: 503 while credits cannot be recorded. It needs no key, counts against no limit and is answered under overload.',
      {
        200: probeResponse('It can.', 'ready'),
        503: probeResponse('It cannot; the log says why.', 'not ready'),
      },
    ),
  },
};

function probeOperation(
  operationId: string,
  summary: string,
  description: string,
  responses: JsonObject,
): JsonObject {
  return {
    operationId,
    summary,
    description,
    tags: ['Operation'],
    security: [],
    responses: { ...responses, ...problemResponses(['headers_too_large']) },
  };
}

function probeResponse(description: string, status: string): JsonObject {
  const schema = {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', const: status } },
  };
  const content = { 'application/json': { schema, example: { status } } };
  return { description, headers: headerRefs(['X-Request-Id', 'Cache-Control']), content };
}
