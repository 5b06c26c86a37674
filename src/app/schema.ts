import '../schema/query.ts';
import '../schema/federation.ts';
import '../schema/objects/query.ts';
import '../schema/objects/registry-object.ts';
import '../sites/abuse-contacts/abuse-contacts-schema.ts';
import '../sites/site-schema.ts';
import '../watches/watches-schema.ts';
import '../receipts/receipts-schema.ts';
import {
  GraphQLDeferDirective,
  GraphQLSchema,
  isObjectType,
  resolveSchemaCoordinate,
} from 'graphql';
import { builder, searchArgs } from '../schema/builder.ts';
import descriptions from '../schema/descriptions.json' with { type: 'json' };
import { applyCosts, costDirectives } from '../schema/cost-directives.ts';
import { prices } from '../execution/charging/prices.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { DomainType } from '../schema/domain.ts';
import siteDescriptions from '../sites/descriptions.json' with { type: 'json' };
import receiptDescriptions from '../receipts/descriptions.json' with { type: 'json' };
import watchDescriptions from '../watches/descriptions.json' with { type: 'json' };

builder.subscriptionType({
  fields: (t) => ({
    availability: t.field({
      type: DomainType,
      extensions: fieldFacts({ cost: prices.single(1) }),
      args: searchArgs(),
      subscribe(_root, args, { lookup, resumption }) {
        const rows = lookup.searchInCompletionOrder(args);
        return resumption?.recorded(rows) ?? rows;
      },
      resolve: (row) => row,
    }),
  }),
});

/** The schema of saved operations. It lacks `@defer`, because graphql's `execute` rejects it. */
export const baseSchema: GraphQLSchema = builder.toSchema({ sortSchema: false });

// The texts by schema coordinate, such as `Query.domain(name:)`. A field of an interface needs one
// text for all its types. An element whose text contains values of the code has it in its definition.
const texts = {
  ...descriptions,
  ...siteDescriptions,
  ...watchDescriptions,
  ...receiptDescriptions,
};
for (const [coordinate, text] of Object.entries(texts)) {
  const element = elementAt(coordinate);
  if (element.description != null) throw new Error(`${coordinate} has two descriptions.`);
  element.description = text;
}
// Fields and arguments of types are described like those of the interfaces from which they are.
for (const type of Object.values(baseSchema.getTypeMap()).filter(isObjectType))
  for (const inherited of type.getInterfaces().flatMap((each) => Object.values(each.getFields()))) {
    const field = type.getFields()[inherited.name];
    if (!field) continue;
    field.description ??= inherited.description;
    for (const arg of field.args)
      arg.description ??= inherited.args.find(({ name }) => name === arg.name)?.description;
  }

applyCosts(baseSchema);

/** The public schema: the same types, and `@defer`. */
export const schema: GraphQLSchema = new GraphQLSchema({
  ...baseSchema.toConfig(),
  description:
    'Checks whether domain names are registered, and returns their registration data. Each name is looked up at its ' +
    'own registry over RDAP; `available` is true only if the registry proves that the name is unregistered. Errors have a problem code in ' +
    '`extensions.code`. Names under `.test` are served by a built-in sandbox registry and cost no credits.',
  directives: [...baseSchema.getDirectives(), GraphQLDeferDirective, ...costDirectives],
});

function elementAt(coordinate: string) {
  const found = resolveSchemaCoordinate(baseSchema, coordinate);
  if (found?.kind === 'NamedType') return found.type;
  if (found?.kind === 'Field') return found.field;
  if (found?.kind === 'FieldArgument') return found.fieldArgument;
  if (found?.kind === 'InputField') return found.inputField;
  if (found?.kind === 'EnumValue') return found.enumValue;

  throw new Error(`The schema has no ${coordinate}, which is described.`);
}
