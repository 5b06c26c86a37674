import packageJson from '../../../../package.json' with { type: 'json' };
import type { JsonObject } from '../../../domain/registration.ts';
import base from './base.json' with { type: 'json' };
import { headers } from './headers.ts';
import { endpointParameters, endpointPaths } from './operations.ts';
import { problemExamples, problemSchemas, problemResponses } from './responses.ts';
import type { JsonSchema } from '../shape.ts';

/** Returns the OpenAPI 3.1 description of the REST API, made of its endpoints. */
export function openapiDocument(): JsonObject {
  const types: Record<string, JsonSchema> = problemSchemas();
  const paths = { ...endpointPaths(types), ...healthPaths };
  const { version, description: summary, license } = packageJson;
  const { title, ...info } = base.info;
  return {
    openapi: '3.1.0',
    info: { title, version, summary, ...info, license: { name: license, identifier: license } },
    servers: base.servers,
    tags: base.tags,
    security: base.security,
    paths,
    components: {
      schemas: usedSchemas(paths, types),
      parameters: endpointParameters(),
      headers,
      examples: problemExamples(paths),
      securitySchemes: base.securitySchemes,
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

/** The paths `/health` and `/ready`, for the operator. */
const healthPaths: JsonObject = Object.fromEntries(
  Object.entries(base.paths).map(([path, { get }]) => [
    path,
    {
      get: {
        ...get,
        responses: { ...get.responses, ...problemResponses(['headers_too_large']) },
      },
    },
  ]),
);
