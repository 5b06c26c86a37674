import {
  createSourceEventStream,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { Context, RunOptions } from './context.ts';
import { Executor, objectTree } from './executor.ts';
import type { Operation } from './operation.ts';
import { JsonForm } from './json-form.ts';
import type { PartialResult } from './result.ts';
import type { VariableValues } from './selections.ts';

/** Runs an operation. Rejects with the reason of `abortSignal` if it is aborted. */
export function runOperation(
  operation: Operation,
  context: Context,
  options: RunOptions,
):
  | ExecutionResult
  | AsyncIterable<PartialResult>
  | Promise<ExecutionResult | AsyncIterable<PartialResult>> {
  const { variables, errors, delivery } = operation;
  const { abortSignal, deferFormat } = options;
  if (!variables) return { errors };
  if (delivery === 'subscription') return subscribe(operation, variables, context, options);
  if (delivery === 'deferred' && deferFormat) return executeDeferred(operation, context, options);

  const result = execute(operation, variables, context, options);
  return abortSignal && result instanceof Promise ? unlessAborted(result, abortSignal) : result;
}

function execute(
  operation: Operation,
  variableValues: VariableValues,
  contextValue: Context,
  { asJson }: RunOptions,
  rootValue?: unknown,
): ExecutionResult | Promise<ExecutionResult> {
  const { definition, rootFields } = operation;
  const schema = visibleSchemaOf(operation);
  const [root, fragments] = [operation.prepared(), operation.fragments()];
  const scope = {
    schema,
    fragments,
    operation: definition,
    variableValues,
    contextValue,
    rootValue,
  };
  // The arguments of fields of the schema itself were not coerced.
  const args = root.fields.map(({ key, definition: { name } }) =>
    name.startsWith('__') ? undefined : rootFields.find((field) => field.key === key)?.args,
  );

  return new Executor(scope, asJson ? new JsonForm() : objectTree).execute(root, args);
}

/** graphql-js opens the stream of events, each of which is executed like a query. */
async function subscribe(
  operation: Operation,
  variables: VariableValues,
  context: Context,
  options: RunOptions,
): Promise<ExecutionResult | AsyncIterable<PartialResult>> {
  const args = validateSubscriptionArgs(argumentsOf(operation, context, options));
  if (!('schema' in args)) return { errors: args };

  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  return mapSourceToResponseEvent(args, events, ({ rootValue }) =>
    execute(operation, variables, context, options, rootValue),
  );
}

/** graphql-js runs queries with `@defer`, of which it supports two formats. */
async function executeDeferred(
  operation: Operation,
  context: Context,
  options: RunOptions,
): Promise<ExecutionResult | AsyncIterable<PartialResult>> {
  const executeIncrementally =
    options.deferFormat === '2022' ? legacyExecuteIncrementally : experimentalExecuteIncrementally;
  const result = await executeIncrementally(argumentsOf(operation, context, options));
  return 'initialResult' in result ? flatten(result) : result;
}

function argumentsOf(
  operation: Operation,
  contextValue: Context,
  { abortSignal }: RunOptions,
): ExecutionArgs {
  const { document, operationName, variableValues } = operation;
  const schema = visibleSchemaOf(operation);
  return { schema, document, operationName, variableValues, contextValue, abortSignal };
}

function visibleSchemaOf({ schema, visibleSchema = schema }: Operation): GraphQLSchema {
  return visibleSchema;
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

function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
