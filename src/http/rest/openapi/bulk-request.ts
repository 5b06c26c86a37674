import { toJsonSchema } from '@valibot/to-json-schema';
import type { JsonObject } from '../../../domain/registration.ts';
import { bulkShape } from '../bulk-body.ts';
import { confirmNames } from '../../../domain/source.ts';
import { maxBudgetMs } from '../../messages/parameters.ts';
import type { JsonSchema, Properties } from './json-schema.ts';
import { budgetDescription, confirmDescription, maxAgeParameterDescription } from './parameters.ts';

/**
 * Returns the schema of a bulk request body, derived from the shape that parses it. `aliases` are
 * the deprecated members that it accepts, at top level and in `options`.
 */
export function bulkRequestSchema(aliases: Properties): JsonSchema {
  const { $schema: _draft, ...schema } = toJsonSchema(bulkShape, {
    typeMode: 'output',
  }) as JsonObject;
  return {
    ...withDescriptions(schema, aliases),
    // Not an `anyOf` with `required`: generated clients treat an alternative without properties as
    // a body of any type.
    description:
      'Either full domain names (`domains`), or labels and TLDs (`names` and `tlds`), of which every pair is looked up.',
  };
}

/** Adds descriptions and limits to the members. Throws for a member without a description. */
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
    if (!memberSchema) throw new Error(`Member ${name} of a bulk request has no description.`);
    return [name, { ...withDescriptions(member, aliases), ...memberSchema }];
  });
  return { ...schema, properties: { ...Object.fromEntries(members), ...aliases } };
}

const memberSchemas: Readonly<Record<string, JsonSchema>> = {
  domains: { description: 'Full domain names.' },
  names: { description: 'Labels or names; each is combined with each of `tlds`.' },
  tlds: {
    description: 'TLDs or longer suffixes, such as `com` or `co.uk`, or sets such as `@popular`.',
  },
  max_age: { type: ['integer', 'null'], minimum: 0, description: maxAgeParameterDescription },
  // Generated clients treat a member with a default as required.
  confirm: { type: 'string', enum: confirmNames, description: confirmDescription },
  budget_ms: {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: maxBudgetMs,
    description: budgetDescription,
  },
  options: { description: 'Values here override the same members at top level.' },
};
