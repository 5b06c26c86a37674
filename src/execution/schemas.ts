import type { GraphQLSchema } from 'graphql';

/**
 * Two variants of the schema, because graphql-js executes a schema with `@defer` only incrementally.
 * Clients see `full`, which has `@defer`.
 */
export interface Schemas {
  readonly base: GraphQLSchema;
  readonly full: GraphQLSchema;
}
