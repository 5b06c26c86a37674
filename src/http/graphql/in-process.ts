import {
  execute,
  GraphQLError,
  subscribe,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { unlimitedWork } from '../../accounts/work-limit.ts';
import type { Caller, Context, OpenContext } from '../../execution/context.ts';
import { Problem } from '../../domain/problems.ts';
import type { ValueLimit } from '../../lookup/value-limit.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';
import { renderError, type ErrorOptions } from './errors.ts';
import { readFieldLookups } from '../../execution/field-lookups.ts';
import { prepareOperation, type Operation } from '../../execution/operation.ts';

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
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  /** Settles after the first attempt to load the bootstrap document, within two seconds. */
  readonly bootstrapSettled: Promise<void>;
  /** The maximum number of entries in the lists of an operation. */
  readonly maxEntries: number;
  readonly slices: TimeSlices;
}

/**
 * Executes operations of this process, which need no key and no credits: the caller is the
 * operator's own program. Documents are not validated.
 */
export class InProcessExecutor {
  readonly #options: InProcessOptions;

  constructor(options: InProcessOptions) {
    this.#options = options;
  }

  /**
   * Executes an operation. Resolves to its result, or to the results of a subscription; problems
   * are errors of the result. Rejects with the reason of `signal` if it is aborted.
   */
  async execute(request: OperationRequest): Promise<ExecutionResult | Results> {
    request.signal?.throwIfAborted();
    const closing: (() => void)[] = [];
    const close = () => closing.splice(0).forEach((task) => task());
    try {
      const args = await this.#open(request, (task) => closing.push(task));
      const isSubscription = args.operation.definition.operation === 'subscription';
      const result = isSubscription ? await subscribe(args) : await execute(args);
      const { objectValues } = args.contextValue.lookup;
      if (Symbol.asyncIterator in result) return this.#stream(result, objectValues, close);
      close();
      return this.#render(result, objectValues);
    } catch (error) {
      close();
      if (request.signal?.aborted) throw request.signal.reason;
      return { errors: [this.#renderError(error)] };
    }
  }

  async #open(
    { document, operationName, variables, signal }: OperationRequest,
    onResponseClosed: Caller['onResponseClosed'],
  ): Promise<ExecutionArgs & { readonly operation: Operation; readonly contextValue: Context }> {
    const { schema, openContext, bootstrapSettled } = this.#options;
    const operation = prepareOperation({ schema, document, operationName })?.coerce(variables);
    if (!operation) throw unknownOperation();
    const [error] = operation.errors;
    if (error) throw error;
    const fields = await readFieldLookups(operation, this.#options);
    await bootstrapSettled;
    const mode = operation.definition.operation === 'subscription' ? 'streaming' : 'buffered';
    const caller = { ...inProcessCaller, signal: () => signal ?? notAborted, onResponseClosed };
    const contextValue = await openContext(fields, caller, mode);
    return {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
      operation,
      ...(signal && { abortSignal: signal }),
    };
  }

  async *#stream(
    results: AsyncIterable<ExecutionResult>,
    objectValues: ValueLimit,
    close: () => void,
  ): Results {
    try {
      for await (const result of results) yield this.#render(result, objectValues);
    } finally {
      close();
    }
  }

  #render(result: ExecutionResult, objectValues: ValueLimit): ExecutionResult {
    try {
      objectValues.check();
    } catch (error) {
      return { errors: [this.#renderError(error)] };
    }
    const errors = result.errors?.map((error) => this.#renderError(error));
    return errors ? { ...result, errors } : result;
  }

  #renderError(error: unknown): GraphQLError {
    const { message, extensions } = renderError(error, logged, this.#options);
    const { nodes, path } = error instanceof GraphQLError ? error : {};
    return new GraphQLError(message, { nodes, path, extensions: { ...extensions } });
  }
}

const inProcessCaller = { account: 'in-process', payer: undefined, work: unlimitedWork };
const notAborted = new AbortController().signal;

/** What the log contains about the request. */
const logged = { requestId: 'in-process', path: '/graphql' };

function unknownOperation(): Problem {
  const detail = 'operationName must name one of the operations of the document.';
  return new Problem('invalid_query', detail, { param: 'operationName' });
}
