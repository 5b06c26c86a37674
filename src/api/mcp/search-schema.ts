import type { GraphQLSchema } from 'graphql';
import * as v from 'valibot';
import { inCredits } from '../../execution/charging/prices.ts';
import { once } from '../../shared/memoize.ts';
import { quoted } from '../../shared/printable.ts';
import answers from './answers.json' with { type: 'json' };
import { FieldIndex } from './field-index.ts';
import { schemaFields, type SchemaField } from './schema-fields.ts';
import { described, optional, objectOf, wholeNumber } from './shapes.ts';
import { readArguments, type Tool } from './tool.ts';

const maxQueryLength = 200;
const maxLimit = 25;
const text = `a text of 1 to ${maxQueryLength} characters`;

const input = v.strictObject(
  {
    query: described(
      v.pipe(v.string(text), v.nonEmpty(text), v.maxLength(maxQueryLength, text)),
      'What the fields are about, in English, such as `who owns the network of an address`.',
    ),
    limit: optional(
      wholeNumber(`a whole number from 1 to ${maxLimit}`, 1, maxLimit),
      `Maximum number of fields, up to ${maxLimit}. The default is 8.`,
    ),
  },
  'an object',
);

/** Returns the tool `search_schema`: the fields of a schema, by what they mean. */
export function searchSchema(schema: GraphQLSchema): Tool {
  const index = once(() => new FieldIndex(schemaFields(schema)));
  return {
    name: 'search_schema',
    title: 'Search the schema',
    description:
      'Finds fields of the graph for `query_graph` by what they mean: each with its path from the root of a query, its type, its price in credits (of one name or object), and an example that runs in the sandbox; replace its names. Fields of the same `domain`, `ip` or `site` can be selected together, and a name is paid once, at the highest price. Verdicts may be heuristic, and brand or restricted TLDs have cautions; answers may be cached. Free of charge.',
    input,
    output: objectOf(answers.search_schema),
    async run(args, call) {
      const { query, limit = 8 } = readArguments(input, args);
      call.spendWork(maxLimit);
      const { found, total } = index().search(query, limit);
      const fields = await Promise.all(
        found.map(async ({ example, ...field }) => ({
          ...field,
          price: await call.priceOf(example.replaceAll(/\btest\b/g, 'example')),
          example,
        })),
      );

      return {
        structured: { fields, total },
        lines:
          fields.length === 0
            ? [`No field is about ${quoted(query)}. Call again with other words.`]
            : [`${fields.length} of ${total} fields:`, ...fields.map(lineOf)],
      };
    },
  };
}

function lineOf({ path, type, price, ...field }: SchemaField & { readonly price: number }): string {
  const args = field.arguments ? `(${field.arguments.join(', ')})` : '';
  return `${path}${args}: ${type}, ${inCredits(price)}. ${field.description} Example: ${field.example}`;
}
