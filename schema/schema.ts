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
  directives: [...baseSchema.getDirectives(), GraphQLDeferDirective],
});
