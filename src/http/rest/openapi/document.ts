import packageJson from '../../../../package.json' with { type: 'json' };
import type { JsonObject } from '../../../domain/registration.ts';
import { headers, headerRefs } from './headers.ts';
import { defaultBaseUrl, endpointParameters, endpointPaths } from './operations.ts';
import { problemExamples, problemSchemas, problemResponses } from './responses.ts';
import type { JsonSchema } from '../shape.ts';

/** Returns the OpenAPI 3.1 description of the REST API, made of its endpoints. */
export function openapiDocument(): JsonObject {
  const types: Record<string, JsonSchema> = problemSchemas();
  const paths = { ...endpointPaths(types), ...healthPaths };
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: defaultBaseUrl, description: 'The default address of the gateway.' }],
    tags,
    security: [{ apiKey: [] }, { bearer: [] }, {}],
    paths,
    components: {
      schemas: usedSchemas(paths, types),
      parameters: endpointParameters(),
      headers,
      examples: problemExamples(paths),
      securitySchemes,
    },
  };
}

/** Returns the schemas that the paths refer to, directly or through others, in order of their names. */
function usedSchemas(paths: JsonObject, types: Readonly<Record<string, JsonSchema>>): JsonObject {
  const used = new Set<string>();
  const visit = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!used.has(name)) {
        used.add(name);
        visit(types[name]);
      }
  };
  visit(paths);
  return Object.fromEntries([...used].toSorted().map((name) => [name, types[name] ?? {}]));
}

const info = {
  title: 'RDAP Gateway',
  version: packageJson.version,
  summary: packageJson.description,
  description:
    'The REST API of a gateway over RDAP. `available: true` means that the registry proves that the name is unregistered, not that you can buy it. ' +
    'Every endpoint that supports GET also supports HEAD and OPTIONS; every response carries CORS headers. The operator of the gateway decides ' +
    'whether a key is required. New paths, optional parameters, fields, values, headers and problem codes may be added at any time: ignore unknown ' +
    'ones. Breaking changes are announced 12 months in advance.',
  contact: { name: 'Documentation of this gateway', url: `${defaultBaseUrl}/docs` },
  license: { name: packageJson.license, identifier: packageJson.license },
};

const tags = [
  { name: 'Names', description: 'Availability and registration data of domain names.' },
  { name: 'TLDs', description: 'Supported TLDs and the health of their registries.' },
  {
    name: 'Sites',
    description: 'What web sites, their servers and their DNS records declare and show.',
  },
  { name: 'Operation', description: 'Health checks for the operator of the gateway.' },
];

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key of this gateway.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, for clients that can only send a bearer token.',
  },
};

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
