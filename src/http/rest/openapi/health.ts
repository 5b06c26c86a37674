import type { JsonObject } from '../../../domain/registration.ts';
import { headerRefs } from './headers.ts';
import { problemResponses } from './responses.ts';

/** The paths `/health` and `/ready`, for the operator. */
export const healthPaths: JsonObject = {
  '/health': {
    get: probeOperation(
      'getHealth',
      'Check liveness',
      'For liveness probes. It checks only that the process responds. It needs no key, is not rate-limited and is exempt from load shedding.',
      { 200: probeResponse('Alive.', 'ok') },
    ),
  },
  '/ready': {
    get: probeOperation(
      'getReady',
      'Check readiness',
      'For readiness probes and load balancers: 503 while credits cannot be recorded. It needs no key, is not rate-limited and is exempt from load shedding.',
      {
        200: probeResponse('Ready.', 'ready'),
        503: probeResponse('Not ready; the reason is in the log.', 'not ready'),
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
