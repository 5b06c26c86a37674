import './query.ts';
import './federation.ts';
import './objects/autnum.ts';
import './objects/entity.ts';
import './objects/ip-network.ts';
import './objects/nameserver-object.ts';
import './objects/query.ts';
import './objects/registry-object.ts';
import './objects/related-entity.ts';
import './sites/query.ts';
import { GraphQLDeferDirective, GraphQLSchema } from 'graphql';
import { builder, searchArgs } from './builder.ts';
import { addDescriptions } from './descriptions.ts';
import descriptions from './descriptions.json' with { type: 'json' };
import { DomainType } from './domain.ts';
import siteDescriptions from './sites/descriptions.json' with { type: 'json' };

builder.subscriptionType({
  fields: (t) => ({
    availability: t.field({
      type: DomainType,
      args: searchArgs(),
      subscribe: (_root, args, { lookup }) => lookup.searchInCompletionOrder(args),
      resolve: (row) => row,
    }),
  }),
});

/** The schema of saved operations. It lacks `@defer`, because graphql's `execute` rejects it. */
export const baseSchema: GraphQLSchema = builder.toSchema({ sortSchema: false });
addDescriptions(baseSchema, { ...descriptions, ...siteDescriptions });

/** The public schema: the same types, and `@defer`. */
export const schema: GraphQLSchema = new GraphQLSchema({
  ...baseSchema.toConfig(),
  description:
    'Checks whether domain names are registered, and returns their registration data. Each name is looked up at its ' +
    'own registry over RDAP; `available` is true only if the registry proves that the name is unregistered. Errors have a problem code in ' +
    '`extensions.code`. Names under `.test` are served by a built-in sandbox registry and cost no credits.',
  directives: [...baseSchema.getDirectives(), GraphQLDeferDirective],
});
