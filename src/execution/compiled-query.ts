import { BREAK, visit, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { isIntrospectionField, countExpandedFields } from './document-limits.ts';

/** Executes a compiled operation, whose variables graphql-js has coerced: its messages differ. */
export type CompiledQuery = (
  contextValue: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiling takes up to 0.1 ms and 2.2 KB for each field of the response. */
const maxFields = 120;

/** Compiles a query of a valid document. Returns undefined if graphql-js must execute it. */
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

/** Returns whether graphql-jit executes a document safely, correctly and at a reasonable cost. */
function isCompilable(document: DocumentNode): boolean {
  let hasExcluded = false;
  const stopIf = (excluded: boolean) => {
    hasExcluded ||= excluded;
    return excluded ? BREAK : undefined;
  };
  visit(document, {
    OperationDefinition: ({ operation }) => stopIf(operation !== 'query'),
    // graphql-jit ignores @defer, and merges @skip and @include of all uses of a fragment.
    Directive: () => stopIf(true),
    // Introspection is rare, and takes long to compile.
    Field: (field) => stopIf(isIntrospectionField(field)),
    // An alias or a variable of this name would set the prototype of the response or variables.
    Name: ({ value }) => stopIf(value === '__proto__'),
    StringValue: ({ value }) => stopIf(!isSafeString(value)),
  });
  // graphql-jit compiles the fields of a fragment again for each use.
  return !hasExcluded && countExpandedFields(document, maxFields) <= maxFields;
}

/**
 * Returns whether a string is safe in the source code that graphql-jit generates. It replaces
 * markers in some strings by unquoted text (`objectStringify` in its execution.js), so a document
 * could inject code. Without brackets and quotes, no text runs as code.
 */
function isSafeString(value: string): boolean {
  return /^[\p{L}\p{M}\p{N} .:@-]*$/u.test(value);
}
