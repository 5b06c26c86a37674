import type { JsonObject } from '../domain/registration.ts';
import { describeEndpoints } from '../api/rest/openapi/document.ts';
import watches from '../watches/rest/openapi.json' with { type: 'json' };
import { endpoints } from './endpoints.ts';
import { baseSchema } from './schema.ts';

/** Returns the OpenAPI 3.1 description of the REST API. */
export function openapiDocument(): JsonObject {
  return describeEndpoints(endpoints, baseSchema, watches);
}
