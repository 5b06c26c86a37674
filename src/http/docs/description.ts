import { z } from 'zod';
import type { Json, JsonObject } from '../../domain/registration.ts';

/** What the pages show of the OpenAPI document, with what it refers to put in its place. */
export type Description = Readonly<z.infer<typeof description>>;
export type Operation = Readonly<z.infer<typeof operation>>;
export type Parameter = Readonly<z.infer<typeof parameter>>;
export type ResponseOf = Readonly<z.infer<typeof response>>;
export type Shape = Readonly<z.infer<typeof shape>>;

/** Reads the document that this gateway prints itself. Throws where it is another. */
export function readDescription(document: JsonObject): Description {
  return description.parse(dereferenced(document, document));
}

const shape = z.object({
  required: z.array(z.string()).default([]),
  properties: z.record(
    z.string(),
    z.object({
      description: z.string().default(''),
      deprecated: z.boolean().default(false),
      'x-enumDescriptions': z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const parameter = z.object({
  name: z.string(),
  in: z.enum(['query', 'header']),
  description: z.string(),
  required: z.boolean().default(false),
  deprecated: z.boolean().default(false),
});

const examples = z.record(z.string(), z.object({ summary: z.string(), value: z.unknown() })).default({});

const response = z.object({
  content: z.record(z.string(), z.object({ examples })).default({}),
});

const operation = z.object({
  summary: z.string(),
  description: z.string().default(''),
  tags: z.array(z.string()),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: shape }) }) }).optional(),
  responses: z.record(z.string(), response),
  'x-codeSamples': z.array(z.object({ source: z.string() })).default([]),
});

const description = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'post']), operation)),
  components: z.object({
    schemas: z.object({ Row: shape, Record: shape, Tally: shape }),
    headers: z.record(z.string(), z.object({ description: z.string() })),
  }),
});

/** None of our shapes holds itself, so this ends. */
function dereferenced(value: Json, document: JsonObject): Json {
  if (Array.isArray(value)) return value.map((inner) => dereferenced(inner, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as JsonObject;
  if (typeof $ref === 'string') return dereferenced({ ...(at($ref, document) as JsonObject), ...rest }, document);
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, dereferenced(inner, document)]));
}

function at(reference: string, document: JsonObject): Json {
  const keys = reference.slice('#/'.length).split('/');
  return keys.reduce<Json>((value, key) => (value as JsonObject)[key] ?? null, document);
}
