import type { JsonObject } from '../../src/domain/registration.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = JsonObject;

export type Properties = Readonly<Record<string, JsonSchema>>;

/** An object that always carries these members, but for the optional ones. */
export function objectOf(properties: Properties, optional: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    properties,
  };
}

/** A word of a list that may grow, each with its meaning: no `enum`, as a client must expect one that it does not know. */
export function openEnum(descriptions: Readonly<Record<string, string>>): JsonSchema {
  return {
    type: 'string',
    'x-extensible-enum': Object.keys(descriptions),
    'x-enumDescriptions': descriptions,
  };
}

/** The same, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
