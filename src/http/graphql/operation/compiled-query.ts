import { BREAK, visit, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { isIntrospectionField, countExpandedFields } from './document-limits.ts';

/** Executes a compiled operation. The variables are those that graphql-js has coerced: graphql-jit's messages differ, its values do not. */
export type CompiledQuery = (
  contextValue: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiling takes up to 0.1 ms and 2.2 KB for each field of the response. */
const maxFields = 120;

/** Compiles a query of a valid document. Undefined for one that is left to graphql-js. */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): CompiledQuery | undefined {
  if (!isCompilable(document)) return undefined;
  const compiled = compileQuery(schema, document, operationName ?? undefined, {
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) return undefined;
  return (contextValue, variables) => compiled.query(undefined, contextValue, variables);
}

/** Returns whether graphql-jit executes a document as graphql-js does, safely, and is worth its cost. */
function isCompilable(document: DocumentNode): boolean {
  let hasExcluded = false;
  const stopIf = (excluded: boolean) => {
    hasExcluded ||= excluded;
    return excluded ? BREAK : undefined;
  };
  visit(document, {
    OperationDefinition: ({ operation }) => stopIf(operation !== 'query'),
    // It ignores @defer, and merges the conditions of @skip and @include of all places in which a fragment is used.
    Directive: () => stopIf(true),
    // Introspection is rare, and long to compile.
    Field: (field) => stopIf(isIntrospectionField(field)),
    // An alias or a variable of this name sets the prototype of the response or of the variables.
    Name: ({ value }) => stopIf(value === '__proto__'),
    StringValue: ({ value }) => stopIf(!isSafeString(value)),
  });
  // It collects the fields of each fragment again wherever the fragment is used.
  return !hasExcluded && countExpandedFields(document, maxFields) <= maxFields;
}

/**
 * Returns whether a string may be written into the source code that graphql-jit generates. In some strings it replaces markers by unquoted
 * text (`objectStringify` in its execution.js), so a document could contain code. Without brackets and quotes, no text runs as code.
 */
function isSafeString(value: string): boolean {
  return /^[\p{L}\p{M}\p{N} .:@-]*$/u.test(value);
}
