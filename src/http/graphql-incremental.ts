import { experimentalExecuteIncrementally, type ExecutionArgs, type ExperimentalIncrementalExecutionResults } from 'graphql';

/** Executes an operation with `@defer`. Its results are in the format of graphql 17: `pending`, `incremental` by id, `completed`. */
export async function executeIncrementally(operation: ExecutionArgs) {
  const result = await experimentalExecuteIncrementally(operation);
  return 'initialResult' in result ? inOrder(result) : result;
}

async function* inOrder({ initialResult, subsequentResults }: ExperimentalIncrementalExecutionResults) {
  yield initialResult;
  yield* subsequentResults;
}
