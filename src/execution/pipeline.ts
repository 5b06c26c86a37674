import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context, RunOptions } from './context.ts';
import type { Operation } from './operation.ts';
import { runOperation } from './run-operation.ts';

/** The arguments that pass the pipeline: also the operation that was prepared from the document. */
interface PipelineArguments extends ExecutionArgs {
  readonly operation: Operation;
  readonly contextValue: Context;
  readonly runOptions: RunOptions;
}

/** Replaces Yoga's executor. */
const ownExecutor: Plugin = {
  onExecute: ({ setExecuteFn }) => setExecuteFn(run),
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(run),
};

function run(args: ExecutionArgs) {
  const { operation, contextValue, runOptions } = args as PipelineArguments;
  return runOperation(operation, contextValue, runOptions);
}

/**
 * Returns the function that runs the operations of clients: the pipeline of a Yoga server, with our
 * executor. A plugin of Yoga or Envelop that is added to `plugins` sees each of them. Operations that
 * the gateway itself has saved do not pass it.
 */
export function createPipeline(schema: GraphQLSchema): typeof runOperation {
  const { getEnveloped } = createYoga({
    schema,
    maskedErrors: false, // rendered later, the same way for every API
    graphiql: false,
    landingPage: false,
    logging: false,
    plugins: [ownExecutor],
  });
  const { execute, subscribe } = getEnveloped({});

  return (operation, contextValue, runOptions) => {
    const { document, operationName, variableValues, delivery } = operation;
    const args = { schema, document, operationName, variableValues, contextValue };
    const runInPipeline = delivery === 'subscription' ? subscribe : execute;
    return runInPipeline({ ...args, operation, runOptions } as PipelineArguments);
  };
}
