import type { JsonObject } from '../domain/registration.ts';
import { describeEndpoints, type FeatureDescription } from '../api/rest/openapi/document.ts';
import receipts from '../receipts/openapi.json' with { type: 'json' };
import watches from '../watches/rest/openapi.json' with { type: 'json' };
import { endpoints } from './endpoints.ts';
import { baseSchema } from './schema.ts';

/** Returns the OpenAPI 3.1 description of the REST API. */
export function openapiDocument(): JsonObject {
  return describeEndpoints(endpoints, baseSchema, [watches, receipts] as FeatureDescription[]);
}
