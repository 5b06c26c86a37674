import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';

/** Executes a compiled query, whose variables graphql-js has coerced: its messages differ. */
export type CompiledQuery = (
  contextValue: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Compiles a query of the gateway itself. Never pass it a document of a client: graphql-jit replaces
 * markers in some strings by unquoted text (`objectStringify` in its execution.js), so that a
 * document could inject code. It also ignores `@defer`, and merges `@skip` and `@include` of all
 * uses of a fragment.
 */
export function compileSaved(schema: GraphQLSchema, document: DocumentNode): CompiledQuery {
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) throw new Error('This saved operation cannot be compiled.');
  return (contextValue, variables) => compiled.query(undefined, contextValue, variables);
}
