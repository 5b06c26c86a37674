import type { JsonObject } from '../../../domain/registration.ts';

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = JsonObject;

export type Properties = Readonly<Record<string, JsonSchema>>;

/** Returns the schema of an object whose members are all required except the optional ones. */
export function objectOf(properties: Properties, optional: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    properties,
  };
}

/**
 * Returns the schema of a string with known values and their descriptions. Not an `enum`: values
 * may be added, and clients must tolerate unknown ones.
 */
export function openEnum(descriptions: Readonly<Record<string, string>>): JsonSchema {
  return {
    type: 'string',
    'x-extensible-enum': Object.keys(descriptions),
    'x-enumDescriptions': descriptions,
  };
}

/** Returns a nullable variant of a schema. */
export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
