import packageJson from '../../package.json' with { type: 'json' };
import type { JsonObject } from '../../src/domain/registration.ts';
import { notImplementedPaths } from '../../src/http/rest/rest-routes.ts';
import { aliasMembers, aliasParameters } from './aliases.ts';
import { bulkRequestSchema } from './bulk-request.ts';
import { defaultBaseUrl } from './operation-description.ts';
import { headers } from './headers.ts';
import { healthPaths } from './health.ts';
import { servedPaths } from './operations.ts';
import { parameters } from './parameters.ts';
import { problemExamples } from './responses.ts';
import { shapes } from './shapes.ts';
import { notImplementedOperation } from './not-implemented.ts';

const bulkPath = '/v1/status/bulk';

/** The REST door in OpenAPI 3.1, made from the tables that make it work. */
export function openapiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: defaultBaseUrl, description: 'The default address of the gateway.' }],
    tags,
    security: [{ apiKey: [] }, { bearer: [] }, {}],
    paths: {
      ...servedPaths(),
      ...Object.fromEntries(notImplementedPaths.map(notImplementedPath)),
      ...healthPaths,
    },
    components: {
      schemas: { ...shapes(), BulkRequest: bulkRequestSchema(aliasMembers(bulkPath)) },
      parameters,
      headers,
      examples: problemExamples,
      securitySchemes,
    },
  };
}

function notImplementedPath(path: string): [string, JsonObject] {
  return [path, { get: notImplementedOperation(path, aliasParameters(path)) }];
}

const info = {
  title: 'RDAP Gateway',
  version: packageJson.version,
  summary: packageJson.description,
  description:
    'The REST door of a gateway over RDAP. `available: true` says that the registry holds no registration of a name, on proof; it does not say that ' +
    'the name can be bought. Every path takes HEAD as GET, and OPTIONS; every answer carries CORS headers. Whether a key is needed is for whoever ' +
    'runs the gateway to say. New paths, optional parameters, fields, values, headers and problem codes may come at any time: ignore what you do ' +
    'not know. Other changes are announced 12 months ahead.',
  contact: { name: 'Documentation of this gateway', url: `${defaultBaseUrl}/docs` },
  license: { name: packageJson.license, identifier: packageJson.license },
};

const tags = [
  { name: 'Names', description: 'Whether names are free, and who holds them.' },
  { name: 'TLDs', description: 'What can be looked up, and how registries respond.' },
  { name: 'Not served', description: 'Known by name: this gateway answers 501.' },
  { name: 'Operation', description: 'For whoever keeps the gateway running.' },
];

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of this gateway.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, where a client can only send a bearer token.',
  },
};
