import { toJsonSchema } from '@valibot/to-json-schema';
import type { JsonObject } from '../../src/domain/registration.ts';
import { bulkShape } from '../../src/http/rest/bulk/body.ts';
import { maxBudgetMs } from '../../src/http/request/parameters.ts';
import type { JsonSchema, Properties } from './json-schema.ts';
import { budgetDescription, maxAgeDescription } from './parameters.ts';

/** The body of a bulk call, from the shape that reads it. `aliases` are the old names that it may use, at top level and in `options`. */
export function bulkRequestSchema(aliases: Properties): JsonSchema {
  const { $schema: _draft, ...schema } = toJsonSchema(bulkShape, {
    typeMode: 'output',
  }) as JsonObject;
  return {
    ...withDescriptions(schema, aliases),
    // Not as `anyOf` with `required`: generated clients take an alternative without properties for a body of any kind.
    description:
      'Either whole names (`domains`), or labels and TLDs (`names` and `tlds`), of which every pair is looked up.',
  };
}

/** Adds what the shape does not say. Throws for a member that nobody has described. */
function withDescriptions(schema: JsonSchema, aliases: Properties): JsonSchema {
  const { anyOf, properties } = schema as {
    anyOf?: readonly JsonSchema[];
    properties?: Properties;
  };
  if (anyOf)
    return { ...schema, anyOf: anyOf.map((alternative) => withDescriptions(alternative, aliases)) };
  if (!properties) return schema;
  const members = Object.entries(properties).map(([name, member]): [string, JsonSchema] => {
    const memberSchema = memberSchemas[name];
    if (!memberSchema) throw new Error(`The member ${name} of a bulk call has no description.`);
    return [name, { ...withDescriptions(member, aliases), ...memberSchema }];
  });
  return { ...schema, properties: { ...Object.fromEntries(members), ...aliases } };
}

const memberSchemas: Readonly<Record<string, JsonSchema>> = {
  domains: { description: 'Whole names.' },
  names: { description: 'Labels, or names; each is paired with each of `tlds`.' },
  tlds: {
    description: 'TLDs or longer suffixes, such as `com` or `co.uk`, or sets such as `@popular`.',
  },
  max_age: { type: ['integer', 'null'], minimum: 0, description: maxAgeDescription },
  budget_ms: {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: maxBudgetMs,
    description: budgetDescription,
  },
  options: { description: 'What stands here wins over the same at top level.' },
};
