import packageJson from '../../../../package.json' with { type: 'json' };
import type { JsonObject } from '../../../domain/registration.ts';
import { aliasMembers } from './aliases.ts';
import { bulkRequestSchema } from './bulk-request.ts';
import { defaultBaseUrl } from './operation-description.ts';
import { headers } from './headers.ts';
import { healthPaths } from './health.ts';
import { servedPaths } from './operations.ts';
import { parameters } from './parameters.ts';
import { problemExamples } from './responses.ts';
import { shapes } from './shapes.ts';

const bulkPath = '/v1/status/bulk';

/** Returns the OpenAPI 3.1 description of the REST API, built from the tables of its routes. */
export function openapiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: defaultBaseUrl, description: 'The default address of the gateway.' }],
    tags,
    security: [{ apiKey: [] }, { bearer: [] }, {}],
    paths: {
      ...servedPaths(),
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
