import { orNull, type JsonSchema, type Properties } from './json-schema.ts';

export const text = (description: string): JsonSchema => ({ type: 'string', description });
export const textOrNull = (description: string) => orNull(text(description));
export const count = (description: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  description,
});
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
export const listOf = (items: JsonSchema, description: string): JsonSchema => ({
  type: 'array',
  items,
  description,
});

/** The named schemas that bodies refer to. */
type Shapes = Record<string, JsonSchema>;
/**
 * Returns the members of a body: those of the result of the operation, as the endpoint arranges them.
 * Replaces schemas in `shapes` whose members the endpoint changes, too.
 */
export type BodyMembers = (result: Properties, shapes: Shapes) => Properties;

/** The members of results that are at the top of every body, or only in headers. */
const commonMembers = ['problem', 'cached', 'checked_at', 'fresh_until', 'latency_ms'];

/** Returns the members of a result without the common ones and those of `names`. */
export function without(result: Properties, names: readonly string[]): Properties {
  const excluded = [...commonMembers, ...names];
  return Object.fromEntries(Object.entries(result).filter(([key]) => !excluded.includes(key)));
}

/** Returns the members of an object in `shapes`; none if it is unknown. */
export function propertiesIn(shapes: Shapes, name: string): Properties {
  return (shapes[name]?.['properties'] ?? {}) as Properties;
}
