import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import { Problem } from '../../domain/problems.ts';
import type { Execution } from '../../execution/execution.ts';
import { localCaller } from '../rest/in-process.ts';
import { renderError, type ErrorOptions } from './errors.ts';

/** A valid operation and its variables: what the executors of `@graphql-tools` receive. */
export interface OperationRequest {
  readonly document: DocumentNode;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
  /** Aborts the operation. Lookups that have not been sent are dropped. */
  readonly signal?: AbortSignal | undefined;
}

type Results = AsyncGenerator<ExecutionResult, void, void>;

interface InProcessOptions extends ErrorOptions {
  readonly execution: Execution;
  /** Settles after the first attempt to load the bootstrap document, within two seconds. */
  readonly bootstrapSettled: Promise<void>;
}

/**
 * Returns a function that executes operations of this process, which need no key and no credits: the
 * caller is the operator's own program. Documents are not validated. It resolves to the result of an
 * operation, or to the results of a subscription; problems are errors of the result. It rejects with
 * the reason of `signal` if it is aborted.
 */
export function inProcessExecutor(options: InProcessOptions) {
  return async (request: OperationRequest): Promise<ExecutionResult | Results> => {
    const { signal } = request;
    signal?.throwIfAborted();

    try {
      const result = await run(request, options);
      if ('parts' in result) return rendered(result.parts, options);
      if ('error' in result) throw result.error;

      return result.value;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return { errors: [renderPlainError(error, options)] };
    }
  };
}

async function run(
  { document, operationName, variables, signal }: OperationRequest,
  options: InProcessOptions,
) {
  const { execution, bootstrapSettled } = options;
  const operation = execution.prepareDocument(document, operationName).coerce(variables);
  const [error] = operation.errors;
  if (error) throw error;

  await bootstrapSettled;
  const callerSignal = signal ?? new AbortController().signal;

  return execution.stream(
    operation,
    { ...localCaller, signal: () => callerSignal },
    {
      mode: operation.delivery === 'subscription' ? 'streaming' : 'buffered',
      abortSignal: signal,
    },
    (executed) => ({ value: render(executed, options) }),
  );
}

async function* rendered(parts: Results, options: InProcessOptions): Results {
  try {
    for await (const part of parts) yield render(part, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield { errors: [renderPlainError(error, options)] };
  }
}

function render(result: ExecutionResult, options: InProcessOptions): ExecutionResult {
  const errors = result.errors?.map((error) => renderPlainError(error, options));
  return errors ? { ...result, errors } : result;
}

/**
 * Renders an error as plain data, as it arrives over HTTP: another copy of graphql does not
 * recognize instances of this one, and servers hide errors that they do not recognize.
 */
function renderPlainError(error: unknown, options: InProcessOptions): GraphQLError {
  // Executors of `@graphql-tools` declare the class and return plain data, too.
  return renderError(error, logged, options) as unknown as GraphQLError;
}

/** What the log contains about the request. */
const logged = { requestId: 'in-process', path: '/graphql' };
