import {
  execute,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  type ExecutionArgs,
} from 'graphql';
import type { DeferFormat } from './context.ts';
import type { PartialResult } from './result.ts';
import type { Schemas } from './operation.ts';

/** Runs a query with `@defer`, of which graphql-js supports two formats. */
export async function executeDeferred(
  args: Omit<ExecutionArgs, 'schema'>,
  format: DeferFormat | undefined,
  { base, full }: Schemas,
) {
  if (!format) return execute({ ...args, schema: base });
  const executeIncrementally =
    format === '2022' ? legacyExecuteIncrementally : experimentalExecuteIncrementally;
  const result = await executeIncrementally({ ...args, schema: full });
  return 'initialResult' in result ? flatten(result) : result;
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
