import packageJson from '../../../../package.json' with { type: 'json' };
import type { GraphQLSchema } from 'graphql';
import type { JsonObject } from '../../../domain/registration.ts';
import { aliasesWorkUntil, type Alias } from '../../../server/messages/deprecations.ts';
import type { ProblemCode } from '../../../domain/problems.ts';
import { callerProblems, type Endpoint } from '../endpoint.ts';
import type { JsonSchema, Properties } from '../shape.ts';
import base from './base.json' with { type: 'json' };
import examples from './examples.json' with { type: 'json' };
import headers from './headers.json' with { type: 'json' };
import fixedSchemas from './schemas.json' with { type: 'json' };
import { operationProperties } from './operation-properties.ts';
import {
  apiHeaders,
  creditHeaderNames,
  headerRefs,
  problemExamples,
  problemResponses,
  problemSchemas,
  rateLimitHeaderNames,
} from './responses.ts';

interface Operation {
  /** The problems that not all operations have; all problems if it needs no key (`security`). */
  readonly problems: readonly string[];
  readonly security?: readonly [];
  readonly responses: object;
}

/** What a feature describes itself: all of its operations but their problems, of which it has the codes. */
export interface FeatureDescription {
  readonly tag: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly schemas: Properties;
}

/**
 * Returns the OpenAPI 3.1 description of endpoints and features. `schema` has the fields that they
 * select.
 */
export function describeEndpoints(
  endpoints: readonly Endpoint[],
  schema: GraphQLSchema,
  features: readonly FeatureDescription[],
): JsonObject {
  // Bodies that are data of a saved operation get their schemas from it, and others have a fixed one.
  const types: Record<string, JsonSchema> = {
    ...fixedSchemas,
    ...Object.assign({}, ...features.map(({ schemas }) => schemas)),
    ...problemSchemas(),
  };
  const operations = endpoints.map((endpoint) => [
    endpoint.path,
    { [endpoint.method.toLowerCase()]: operationOf(endpoint, schema, types) },
  ]);
  const paths = { ...Object.fromEntries(operations), ...featurePaths(features), ...healthPaths };
  const { version, description: summary, license } = packageJson;
  const { title, ...info } = base.info;

  return {
    openapi: '3.1.0',
    info: { title, version, summary, ...info, license: { name: license, identifier: license } },
    servers: base.servers,
    tags: [...base.tags.slice(0, -1), ...features.map(({ tag }) => tag), ...base.tags.slice(-1)],
    security: base.security,
    paths,
    components: {
      schemas: usedSchemas(paths, types),
      parameters: Object.assign({}, ...endpoints.map(({ parameters }) => parameters)),
      headers,
      examples: problemExamples(paths),
      securitySchemes: base.securitySchemes,
    },
  };
}

function featurePaths(features: readonly FeatureDescription[]): JsonObject {
  const entries = features.flatMap(({ paths }) => Object.entries(paths));
  return Object.fromEntries(
    entries.map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, each]) => [method, withProblems(each)]),
      ),
    ]),
  );
}

function withProblems({ problems, ...operation }: Operation): JsonObject {
  const codes = [...(operation.security ? [] : callerProblems), ...problems] as ProblemCode[];
  // All but invalid bodies are found while the operation runs.
  const headerNames = [...apiHeaders, ...creditHeaderNames];
  const responses = { ...operation.responses, ...problemResponses(codes, headerNames) };

  return { ...operation, responses };
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

/** The base URL in `schema/openapi.json`; a running gateway replaces it with its own. */
const defaultBaseUrl = 'http://127.0.0.1:4000';

const deprecationHeaderNames = ['Deprecation', 'Sunset', 'Link'] as const;

/** Returns the description of an endpoint. Adds the schemas that it refers to. */
function operationOf(
  endpoint: Endpoint,
  schema: GraphQLSchema,
  types: Record<string, JsonSchema>,
): JsonObject {
  const { method, path, tag, problems, streams, operation, aliases } = endpoint;
  const deprecation = aliases.length > 0 ? deprecationHeaderNames : [];
  const responseHeaders = headerRefs([
    'X-Request-Id',
    'Cache-Control',
    'Server-Timing',
    ...(method === 'GET' ? (['ETag', 'Age'] as const) : []),
    ...apiHeaders,
    ...(tag !== 'TLDs' ? (['X-Data-Freshness'] as const) : []),
    ...creditHeaderNames,
    ...rateLimitHeaderNames,
    ...deprecation,
  ]);
  const schemas = {
    types,
    // A text has no members.
    properties:
      operation === undefined || endpoint.mediaType
        ? {}
        : operationProperties(schema, operation, types),
    propertiesOf: (other: string) => operationProperties(schema, other, types),
    aliases: aliasMembers(aliases),
  };

  // JSON only: generated clients turn several media types into a union.
  const body = { schema: endpoint.schema(schemas), ...examplesOf(path, 'application/json') };
  const requestBody = endpoint.requestSchema?.(schemas);

  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    description: endpoint.description,
    ...(requestBody && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: requestBody, ...examplesOf(path, 'request') } },
      },
    }),
    tags: [tag],
    parameters: [
      ...Object.keys(endpoint.parameters).map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      ...aliasParameters(aliases),
    ],
    responses: {
      200: {
        description: endpoint.success,
        headers: responseHeaders,
        content: { [endpoint.mediaType ?? 'application/json']: body },
        // The schema of an item as in OpenAPI 3.2.
        ...(streams && { 'x-stream-content': contentOf(path, 'itemSchema', streams) }),
        ...(endpoint.alternatives && {
          'x-alternative-content': contentOf(path, 'schema', endpoint.alternatives),
        }),
      },
      ...(method === 'GET' && {
        304: {
          description: 'The body still matches the `ETag` in `If-None-Match`.',
          headers: responseHeaders,
        },
      }),
      ...problemResponses(problems, [...apiHeaders, ...deprecation]),
    },
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(endpoint) }],
  };
}

/** Returns a name such as `getEmailBlacklist`, from which generators name methods. */
function operationIdOf({ method, path }: Endpoint): string {
  const words = path.replace(/^\/(?:v1\/)?/, '').split(/[/-]/);
  const capitalized = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));

  return [method.toLowerCase(), ...capitalized].join('');
}

function curlOf({ method, path, example }: Endpoint): string {
  const url = `${defaultBaseUrl}${path}`;
  if (example === undefined) return `curl ${url}`;
  return method === 'GET'
    ? `curl '${url}?${example}'`
    : `curl ${url} -H 'content-type: application/json' -d '${example}'`;
}

function contentOf(path: string, key: 'schema' | 'itemSchema', schemas: Properties): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([mediaType, schema]) => [
      mediaType,
      { [key]: schema, ...examplesOf(path, mediaType) },
    ]),
  );
}

/** By path and media type, or `request`. */
const examplesByPath: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = examples;

/** Returns the examples of a body, with data of the built-in sandbox registry. */
function examplesOf(path: string, content: string): JsonObject {
  const found = examplesByPath[path]?.[content];
  return found ? { examples: found } : {};
}

function aliasParameters(aliases: readonly Alias[]): readonly JsonObject[] {
  return described(aliases, 'query').map((alias) => ({
    name: alias.name,
    in: 'query',
    // If only some values are deprecated, the parameter itself is not.
    deprecated: alias.values === undefined,
    description: descriptionOf(alias),
    schema: { type: 'string' },
    allowEmptyValue: true,
  }));
}

/** Returns the aliases that are members of the body; they accept any value. */
function aliasMembers(aliases: readonly Alias[]): Properties {
  return Object.fromEntries(
    described(aliases, 'body').map((alias) => [
      alias.name,
      { deprecated: true, description: descriptionOf(alias) },
    ]),
  );
}

/**
 * Returns the aliases in one location, without `cache-skip`: generators turn both it and
 * `cache_skip` into `cacheSkip`, and the duplicate does not compile.
 */
function described(aliases: readonly Alias[], location: Alias['location']): readonly Alias[] {
  return aliases.filter((alias) => alias.location === location && !alias.name.includes('-'));
}

function descriptionOf({ values, replacement }: Alias): string {
  const prefix = values ? 'A numeric value is deprecated' : 'Deprecated';
  return `${prefix}: use \`${replacement}\`. It will work until at least ${new Date(aliasesWorkUntil).toISOString().slice(0, 10)}.`;
}
