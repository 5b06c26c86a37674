import {
  experimentalExecuteIncrementally,
  GraphQLError,
  legacyExecuteIncrementally,
  subscribe,
  type DocumentNode,
  type ExecutionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { workUnits } from '../../accounts/work-limit.ts';
import type { OpenContext } from '../../context.ts';
import { once } from '../../once.ts';
import { Problem } from '../../domain/problems.ts';
import type { AdmittedCall, AdmittedHandler } from '../call.ts';
import {
  Documents,
  type CachedDocument,
  type CachedOperation,
  type Schemas,
} from './operation/documents.ts';
import { countEntries, readFieldLookups } from './operation/field-lookups.ts';
import { asksForSchema } from './operation/limits.ts';
import { readParams, type ReadParams } from './params.ts';
import {
  streamOf,
  wholeOf,
  type Execution,
  type RawResult,
  type ResultOptions,
} from './results.ts';
import { canAnswer, deferredV02, negotiated, type Shape } from '../request/media-types.ts';
import type { Operation } from './operation/operation.ts';
import { PersistedQueries } from './persisted-queries.ts';
import { hasDefer } from './operation/selections.ts';
import type { TimeSlices } from '../request/time-slices.ts';

interface GraphqlOptions extends ResultOptions {
  readonly schemas: Schemas;
  readonly openContext: OpenContext;
  /** The lists of an operation may hold so many entries, however they are spelled. */
  readonly maxEntries: number;
  readonly slices: TimeSlices;
  /** Whether clients may query the schema. */
  readonly introspection: boolean;
}

/** GraphQL over HTTP: JSON in one piece; `multipart/mixed` for `@defer`; server-sent events, or parts, for subscriptions. */
export function graphqlHandler(options: GraphqlOptions): AdmittedHandler {
  const persisted = new PersistedQueries();
  const executor = new Executor(options, persisted);
  return async (call) => {
    const read = await readParams(call, persisted);
    if (!canAnswer(call)) throw notAcceptable();
    const execution: Execution = { shape: 'whole' };
    const result = read ? await executor.execute(read, call, execution) : notRegistered();
    return isStream(result)
      ? streamOf(result, execution, call, options)
      : wholeOf(result, execution, call, options);
  };
}

type Results = AsyncIterable<RawResult>;

/** What Yoga passes to the plugin. Yoga copies the context, so all state is one level down. */
interface ServerContext {
  readonly running: RunningOperation;
}

interface RunningOperation {
  readonly read: ReadParams;
  readonly call: AdmittedCall;
  /** What is known about the operation; added to on the way. */
  readonly execution: Execution;
  document?: CachedDocument;
}

/** Takes requests through Yoga's phases. Queries that were compiled are executed by graphql-jit, all others by graphql-js. */
class Executor {
  readonly #options: GraphqlOptions;
  readonly #documents: Documents;
  readonly #persisted: PersistedQueries;
  /** Loaded for the first request: at the start it would take as long as graphql-js. */
  readonly #yoga = once(() => this.#createYoga());

  constructor(options: GraphqlOptions, persisted: PersistedQueries) {
    this.#options = options;
    this.#documents = new Documents(options.schemas, options.introspection);
    this.#persisted = persisted;
  }

  /** Executes the operation of a request, and records in `execution` what is known about it. What prevents it is its result. */
  async execute(
    read: ReadParams,
    call: AdmittedCall,
    execution: Execution,
  ): Promise<RawResult | Results> {
    const context = { running: { read, call, execution } };
    const yoga = await this.#yoga();
    const result: unknown = await yoga.getResultForParams(
      { params: read.params as never, request: undefined as never },
      context,
    );
    return result as RawResult | Results;
  }

  async #createYoga() {
    const { createYoga } = await import('graphql-yoga');
    return createYoga<ServerContext, object>({
      schema: this.#options.schemas.full,
      plugins: [this.#plugin()],
      parserAndValidationCache: false,
      maskedErrors: false, // rendered later, the same way for every response format
      graphiql: false,
      landingPage: false,
      logging: false,
    });
  }

  #plugin(): Plugin<ServerContext> {
    return {
      onParse: ({ context, setParsedDocument }) =>
        setParsedDocument(this.#readDocument(context.running)),
      onValidate: ({ context, setResult }) => setResult(context.running.document?.errors ?? []),
      onExecute: async ({ args, setExecuteFn }) =>
        setExecuteFn(await this.#prepare(args.contextValue.running)),
      onSubscribe: async ({ args, setSubscribeFn }) =>
        setSubscribeFn(await this.#prepare(args.contextValue.running)),
    };
  }

  #readDocument(running: RunningOperation): DocumentNode {
    const { params, sha256Hash } = running.read;
    try {
      const document = this.#documents.read(params.query, (tokens) =>
        running.call.work.spend(workUnits.tokens(tokens)),
      );
      // From now on the hash of a valid query will do.
      if (document.errors.length === 0 && sha256Hash !== undefined)
        this.#persisted.add(sha256Hash, params.query);
      running.document = document;
      return document.document;
    } catch (error) {
      throw asGraphqlError(error);
    }
  }

  /** Opens an operation, and returns the function that executes it. */
  async #prepare({
    read,
    call,
    execution,
    document,
  }: RunningOperation): Promise<() => Promise<RawResult | Results>> {
    try {
      const { operationName, variables } = read.params;
      const cached = document?.operation(operationName);
      if (!document || !cached) throw unknownOperation();
      const operation = cached.prepared.read(variables);
      await this.#open(operation, document, call, execution);
      return () => this.#run(operation, cached, call, execution);
    } catch (error) {
      throw asGraphqlError(error);
    }
  }

  /** Decides what an operation may do before it runs: nothing is looked up for a result that could not be sent. */
  async #open(
    operation: Operation,
    { hasDirectives }: CachedDocument,
    call: AdmittedCall,
    execution: Execution,
  ): Promise<void> {
    const { maxEntries, slices, openContext } = this.#options;
    const { definition, document, variables } = operation;
    const isDeferred =
      hasDirectives && variables !== undefined && hasDefer(definition, { document, variables });
    const shape: Shape =
      definition.operation === 'subscription' ? 'subscription' : isDeferred ? 'deferred' : 'whole';
    execution.shape = shape;
    if (operation.rootFields.some(({ node }) => asksForSchema(node)))
      call.work.spend(workUnits.introspection);
    if (!negotiated(shape, call)) throw notAcceptable();
    call.work.spend(countEntries(operation));
    const lookups = await readFieldLookups(operation, { maxEntries, slices });
    execution.operation = operation;
    execution.lookups = lookups;
    execution.context = await openContext(
      lookups,
      call,
      shape === 'whole' ? 'inOnePiece' : 'streamed',
    );
  }

  async #run(
    operation: Operation,
    { compiled }: CachedOperation,
    call: AdmittedCall,
    execution: Execution,
  ): Promise<RawResult | Results> {
    const { schema, document, operationName, variableValues, variables, rootFields, errors } =
      operation;
    const { shape, context: contextValue } = execution;
    if (!variables) return { errors };
    const args = { schema, document, operationName, variableValues, contextValue };
    if (shape === 'subscription') return subscribe(args);
    // Only graphql-js reports arguments that cannot be coerced.
    const isReadable = rootFields.every((field) => field.args);
    const query = shape === 'whole' && isReadable ? compiled() : undefined;
    if (query) return query(contextValue, variables.coerced);
    return executeIncrementally({ ...args, schema: this.#options.schemas.full }, call);
  }
}

/** Executes a query, with `@defer` in the format that the client reads: that of graphql 17, or that of 2022. */
async function executeIncrementally(
  args: ExecutionArgs,
  call: AdmittedCall,
): Promise<RawResult | Results> {
  const isNewFormat = negotiated('deferred', call) === deferredV02;
  const result = await (isNewFormat
    ? experimentalExecuteIncrementally(args)
    : legacyExecuteIncrementally(args));
  return 'initialResult' in result ? inOrder(result) : result;
}

async function* inOrder({
  initialResult,
  subsequentResults,
}: {
  readonly initialResult: RawResult;
  readonly subsequentResults: Results;
}): AsyncGenerator<RawResult, void, void> {
  yield initialResult;
  yield* subsequentResults;
}

/** Wraps an error for Yoga, which takes one with a property `errors`, as a `Problem` has it, for several errors. */
function asGraphqlError(error: unknown): GraphQLError {
  return error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error as Error });
}

/** Client libraries recognise the message, and send the query. It is a result, which they read, whatever its HTTP status. */
function notRegistered(): RawResult {
  return { errors: [new Problem('persisted_query_not_found', 'PersistedQueryNotFound')] };
}

function unknownOperation(): Problem {
  return new Problem(
    'invalid_query',
    'operationName must name one of the operations of the query.',
    { param: 'operationName' },
  );
}

function notAcceptable(): Problem {
  return new Problem(
    'not_acceptable',
    'This operation cannot be answered in any media type that you accept.',
  );
}

function isStream(result: RawResult | Results): result is Results {
  return Symbol.asyncIterator in result;
}
