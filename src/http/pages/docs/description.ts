import * as v from 'valibot';
import type { Json, JsonObject } from '../../../domain/registration.ts';

/** The parts of the OpenAPI document that the reference shows, with references resolved. */
export type Description = Readonly<v.InferOutput<typeof description>>;
export type OpenapiOperation = Readonly<v.InferOutput<typeof operation>>;
export type Parameter = Readonly<v.InferOutput<typeof parameter>>;
export type ResponseOf = Readonly<v.InferOutput<typeof response>>;
export type Shape = Readonly<v.InferOutput<typeof shape>>;

/** Reads the OpenAPI document of this gateway. Throws if it has another shape. */
export function readDescription(document: JsonObject): Description {
  return v.parse(description, dereferenced(document, document));
}

const shape = v.object({
  required: v.optional(v.array(v.string()), []),
  properties: v.record(
    v.string(),
    v.object({
      description: v.optional(v.string(), ''),
      deprecated: v.optional(v.boolean(), false),
      'x-enumDescriptions': v.optional(v.record(v.string(), v.string())),
    }),
  ),
});

const parameter = v.object({
  name: v.string(),
  in: v.picklist(['query', 'header']),
  description: v.string(),
  required: v.optional(v.boolean(), false),
  deprecated: v.optional(v.boolean(), false),
});

const examples = v.optional(
  v.record(v.string(), v.object({ summary: v.string(), value: v.unknown() })),
  {},
);

const response = v.object({
  content: v.optional(v.record(v.string(), v.object({ examples })), {}),
});

const operation = v.object({
  summary: v.string(),
  description: v.optional(v.string(), ''),
  tags: v.array(v.string()),
  parameters: v.optional(v.array(parameter), []),
  requestBody: v.optional(
    v.object({ content: v.object({ 'application/json': v.object({ schema: shape }) }) }),
  ),
  responses: v.record(v.string(), response),
  'x-codeSamples': v.optional(v.array(v.object({ source: v.string() })), []),
});

const description = v.object({
  paths: v.record(v.string(), v.record(v.picklist(['get', 'post']), operation)),
  components: v.object({
    schemas: v.object({
      Row: shape,
      DomainRecord: shape,
      Summary: shape,
      Tally: shape,
      CoveredTld: shape,
      Coverage: shape,
      RegistryHealth: shape,
    }),
    headers: v.record(v.string(), v.object({ description: v.string() })),
  }),
});

/** Resolves references. This ends, because no schema contains itself. */
function dereferenced(value: Json, document: JsonObject): Json {
  if (Array.isArray(value)) return value.map((inner) => dereferenced(inner, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as JsonObject;
  if (typeof $ref === 'string')
    return dereferenced({ ...(at($ref, document) as JsonObject), ...rest }, document);
  return Object.fromEntries(
    Object.entries(rest).map(([key, inner]) => [key, dereferenced(inner, document)]),
  );
}

function at(reference: string, document: JsonObject): Json {
  const keys = reference.slice('#/'.length).split('/');
  return keys.reduce<Json>((value, key) => (value as JsonObject)[key] ?? null, document);
}
