import {
  experimentalExecuteIncrementally,
  GraphQLError,
  legacyExecuteIncrementally,
  subscribe,
  type DocumentNode,
  type ExecutionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { workMs } from '../../accounts/work-limit.ts';
import type { OpenContext } from '../../execution/context.ts';
import { once } from '../../shared/memoize.ts';
import { Problem } from '../../domain/problems.ts';
import type { AuthenticatedRequest, AuthenticatedHandler } from '../http-request-context.ts';
import {
  DocumentCache,
  type CachedDocument,
  type CachedOperation,
  type Schemas,
} from '../../execution/document-cache.ts';
import { countEntries, readFieldLookups } from '../../execution/field-lookups.ts';
import { isIntrospectionField } from '../../execution/document-limits.ts';
import { readGraphqlRequest, type GraphqlRequest } from './graphql-request.ts';
import {
  respondStreaming,
  respondBuffered,
  type Execution,
  type RawResult,
  type ResultOptions,
} from './results.ts';
import {
  acceptsAnyResponse,
  deferredV02,
  negotiate,
  type Delivery,
} from '../messages/media-types.ts';
import type { Operation } from '../../execution/operation.ts';
import { PersistedQueries } from './persisted-queries.ts';
import { TrustedDocuments } from './trusted-documents.ts';
import { countRepetitions, hasDefer } from '../../execution/selections.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';

interface GraphqlOptions extends ResultOptions {
  readonly schemas: Schemas;
  readonly openContext: OpenContext;
  /** The maximum number of entries in the lists of an operation. */
  readonly maxEntries: number;
  readonly slices: TimeSlices;
}

/** Handles GraphQL over HTTP: buffered JSON, `@defer` and subscriptions. */
export function graphqlHandler(options: GraphqlOptions): AuthenticatedHandler {
  const persistedQueries = new PersistedQueries();
  const storedDocuments = { persistedQueries, trustedDocuments: new TrustedDocuments() };
  const executor = new Executor(options, persistedQueries);
  return async (request) => {
    const graphqlRequest = await readGraphqlRequest(request, storedDocuments);
    if (!acceptsAnyResponse(request)) throw notAcceptable();
    const execution: Execution = { delivery: 'buffered' };
    const result = graphqlRequest
      ? await executor.execute(graphqlRequest, request, execution)
      : persistedQueryNotFound();
    return isStream(result)
      ? respondStreaming(result, execution, request, options)
      : respondBuffered(result, execution, request, options);
  };
}

type RawResults = AsyncIterable<RawResult>;

/** The context that Yoga passes to the plugin. Yoga copies it, so all state is in one member. */
interface ServerContext {
  readonly running: RunningOperation;
}

interface RunningOperation {
  readonly graphqlRequest: GraphqlRequest;
  readonly request: AuthenticatedRequest;
  /** Filled in while the request is processed. */
  readonly execution: Execution;
  cachedDocument?: CachedDocument;
}

/** Executes compiled queries with graphql-jit, and all others with Yoga and graphql-js. */
class Executor {
  readonly #options: GraphqlOptions;
  readonly #documentCache: DocumentCache;
  readonly #persistedQueries: PersistedQueries;
  /** Created by the first request that needs it: Yoga takes as long to load as graphql-js. */
  readonly #yoga = once(() => this.#createYoga());

  constructor(options: GraphqlOptions, persistedQueries: PersistedQueries) {
    this.#options = options;
    this.#documentCache = new DocumentCache(options.schemas, options.allowIntrospection);
    this.#persistedQueries = persistedQueries;
  }

  /** Executes the operation of a request, and fills in `execution`. Returns errors as a result. */
  async execute(
    graphqlRequest: GraphqlRequest,
    request: AuthenticatedRequest,
    execution: Execution,
  ): Promise<RawResult | RawResults> {
    const running = { graphqlRequest, request, execution };
    const { query, operationName } = graphqlRequest.params;
    if (this.#documentCache.isCompiled(query, operationName)) return this.#executeCompiled(running);
    const context = { running };
    const yoga = await this.#yoga();
    const result: unknown = await yoga.getResultForParams(
      { params: graphqlRequest.params as never, request: undefined as never },
      context,
    );
    return result as RawResult | RawResults;
  }

  /** Executes an operation without Yoga, whose phases take longer than a small compiled query. */
  async #executeCompiled(running: RunningOperation): Promise<RawResult | RawResults> {
    try {
      this.#readDocument(running);
      const run = await this.#prepare(running);
      return await run();
    } catch (error) {
      return { errors: [error] };
    }
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
      onValidate: ({ context, setResult }) =>
        setResult(context.running.cachedDocument?.errors ?? []),
      onExecute: async ({ args, setExecuteFn }) =>
        setExecuteFn(await this.#prepare(args.contextValue.running)),
      onSubscribe: async ({ args, setSubscribeFn }) =>
        setSubscribeFn(await this.#prepare(args.contextValue.running)),
    };
  }

  #readDocument(running: RunningOperation): DocumentNode {
    const { params, sha256Hash } = running.graphqlRequest;
    try {
      const cachedDocument = this.#documentCache.read(params.query, (tokens) =>
        running.request.work.spend(workMs.tokens(tokens)),
      );
      // Only the hashes of valid queries are registered.
      if (cachedDocument.errors.length === 0 && sha256Hash !== undefined)
        this.#persistedQueries.add(sha256Hash, params.query, running.request.account);
      running.cachedDocument = cachedDocument;
      return cachedDocument.document;
    } catch (error) {
      throw asGraphqlError(error);
    }
  }

  /** Opens an operation, and returns a function that executes it. */
  async #prepare({
    graphqlRequest,
    request,
    execution,
    cachedDocument,
  }: RunningOperation): Promise<() => Promise<RawResult | RawResults>> {
    try {
      const { operationName, variables } = graphqlRequest.params;
      const cached = cachedDocument?.operation(operationName);
      if (!cachedDocument || !cached) throw unknownOperation();
      const operation = cached.prepared.coerce(variables);
      await this.#open(operation, cachedDocument, request, execution);
      return () => this.#run(operation, cached, request, execution);
    } catch (error) {
      throw asGraphqlError(error);
    }
  }

  /** Checks and prices an operation. Nothing is looked up for a result that cannot be sent. */
  async #open(
    operation: Operation,
    { hasDirectives }: CachedDocument,
    request: AuthenticatedRequest,
    execution: Execution,
  ): Promise<void> {
    const { maxEntries, slices, openContext } = this.#options;
    const { definition, document, variables } = operation;
    const isDeferred =
      hasDirectives && variables !== undefined && hasDefer(definition, { document, variables });
    const delivery: Delivery =
      definition.operation === 'subscription'
        ? 'subscription'
        : isDeferred
          ? 'deferred'
          : 'buffered';
    execution.delivery = delivery;
    if (operation.rootFields.some(({ node }) => isIntrospectionField(node)))
      request.work.spend(workMs.introspection);
    if (!negotiate(delivery, request)) throw notAcceptable();
    request.work.spend(workMs.names(countEntries(operation)));
    const lookups = await readFieldLookups(operation, { maxEntries, slices });
    execution.operation = operation;
    execution.lookups = lookups;
    execution.context = await openContext(
      lookups,
      request,
      delivery === 'buffered' ? 'buffered' : 'streaming',
    );
    execution.context.lookup.objectValues.divideBy(() => repetitionsIn(operation, delivery));
  }

  async #run(
    operation: Operation,
    { compiled }: CachedOperation,
    request: AuthenticatedRequest,
    execution: Execution,
  ): Promise<RawResult | RawResults> {
    const { schema, document, operationName, variableValues, variables, rootFields, errors } =
      operation;
    const { delivery, context: contextValue } = execution;
    if (!variables) return { errors };
    const args = { schema, document, operationName, variableValues, contextValue };
    if (delivery === 'subscription') return subscribe(args);
    // Only graphql-js reports arguments that cannot be coerced.
    const areArgumentsValid = rootFields.every((field) => field.args);
    const query = delivery === 'buffered' && areArgumentsValid ? compiled() : undefined;
    if (query) return query(contextValue, variables.coerced);
    return executeIncrementally({ ...args, schema: this.#options.schemas.full }, request);
  }
}

/**
 * Returns how often the root field with most repetitions selects the same field. A deferred fragment
 * takes as long as several fields.
 */
function repetitionsIn({ rootFields, document, variables }: Operation, delivery: Delivery): number {
  const scope = { document, ...(variables && { variables }) };
  const byKey = Map.groupBy(rootFields, ({ key }) => key);
  const counts = Array.from(byKey.values(), (fields) =>
    countRepetitions(
      fields.map(({ node }) => node),
      scope,
    ),
  );
  return Math.max(1, ...counts) * (delivery === 'deferred' ? 4 : 1);
}

/** Executes a query. The client selects the format of `@defer`: that of graphql 17 or of 2022. */
async function executeIncrementally(
  args: ExecutionArgs,
  request: AuthenticatedRequest,
): Promise<RawResult | RawResults> {
  const isNewFormat = negotiate('deferred', request) === deferredV02;
  const result = await (isNewFormat
    ? experimentalExecuteIncrementally(args)
    : legacyExecuteIncrementally(args));
  return 'initialResult' in result ? flattenResults(result) : result;
}

async function* flattenResults({
  initialResult,
  subsequentResults,
}: {
  readonly initialResult: RawResult;
  readonly subsequentResults: RawResults;
}): AsyncGenerator<RawResult, void, void> {
  yield initialResult;
  yield* subsequentResults;
}

/** Wraps an error for Yoga, which splits errors with a property `errors`, such as a `Problem`. */
function asGraphqlError(error: unknown): GraphQLError {
  return error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error as Error });
}

/** Client libraries recognise this message, whatever the HTTP status, and send the query. */
function persistedQueryNotFound(): RawResult {
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
    'None of the media types in your Accept header is supported for this operation.',
  );
}

function isStream(result: RawResult | RawResults): result is RawResults {
  return Symbol.asyncIterator in result;
}
