import { GraphQLDeferDirective, GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './query.ts';
import './subscription.ts';

/** What saved operations run against: graphql's own `execute` refuses a schema that knows `@defer`. */
export const baseSchema: GraphQLSchema = builder.toSchema({ sortSchema: false });

/** What clients see: the same types, and `@defer`. */
export const schema: GraphQLSchema = new GraphQLSchema({
  ...baseSchema.toConfig(),
  description:
    'Is this domain name free, and who holds it? Each name is asked of its own registry, over RDAP; `available` is true only on proof. ' +
    'A failure carries its problem code in `extensions.code`. Names under `.test` are answered by a registry inside the gateway, and cost nothing.',
  directives: [...baseSchema.getDirectives(), GraphQLDeferDirective],
});
