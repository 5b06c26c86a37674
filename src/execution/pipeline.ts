import {
  execute,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { DeferFormat } from './context.ts';
import type { Schemas } from './operation.ts';
import type { PartialResult } from './result.ts';

/** Returns Yoga's functions that run queries and subscriptions of clients. */
export function createPipeline(schema: GraphQLSchema) {
  const { getEnveloped } = createYoga({
    schema,
    maskedErrors: false, // rendered later, the same way for every API
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  return getEnveloped({});
}

/** Runs a query with `@defer`, of which graphql-js supports two formats. */
export async function executeDeferred(
  args: Omit<ExecutionArgs, 'schema'>,
  format: DeferFormat | undefined,
  { base, full }: Schemas,
) {
  if (!format) return execute({ ...args, document: withoutDefer(args.document), schema: base });
  const executeIncrementally =
    format === '2022' ? legacyExecuteIncrementally : experimentalExecuteIncrementally;
  const result = await executeIncrementally({ ...args, schema: full });
  return 'initialResult' in result ? flatten(result) : result;
}

/** `execute` of graphql-js rejects a document with `@defer`. */
function withoutDefer(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: ({ name }) => (name.value === 'defer' ? null : undefined),
  });
}

async function* flatten({
  initialResult,
  subsequentResults,
}: {
  readonly initialResult: PartialResult;
  readonly subsequentResults: AsyncIterable<PartialResult>;
}): AsyncGenerator<PartialResult, void, void> {
  yield initialResult;
  yield* subsequentResults;
}
