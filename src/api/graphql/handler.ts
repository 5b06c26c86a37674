import type { ExecutionResult } from 'graphql';
import { workMs } from '../../accounts/work-limit.ts';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { Context } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { InvalidDocument, type Rendered, type RunResult } from '../../execution/result.ts';
import { countEntries } from '../../execution/field-lookups.ts';
import type { Operation } from '../../execution/operation.ts';
import type {
  AuthenticatedHandler,
  AuthenticatedRequest,
  HttpResponse,
} from '../../server/http-request-context.ts';
import type { EtagFactory } from '../../server/messages/etag.ts';
import {
  acceptedTypes,
  acceptsAnyResponse,
  deferredV02,
  eventStream,
  negotiate,
} from '../../server/messages/media-types.ts';
import { clientHas, isNotModified, unwrapRun } from '../../server/messages/run-response.ts';
import { renderResult, type ErrorOptions, type RenderedResult } from './errors.ts';
import {
  readGraphqlRequest,
  type GraphqlRequest,
  createPersistedQueries,
} from './graphql-request.ts';
import { responseJson, withCost } from './response-json.ts';
import { bufferedResponse, notModifiedResponse, type CachingHeaders } from './response.ts';
import { respondStreaming } from './streams.ts';
import { TrustedDocuments } from './trusted-documents.ts';
import { ageHeaders } from '../../server/messages/freshness.ts';

export interface GraphqlOptions extends ErrorOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
}

/** Handles GraphQL over HTTP: buffered JSON, `@defer` and subscriptions. */
export function graphqlHandler(options: GraphqlOptions): AuthenticatedHandler {
  const endpoint = new GraphqlEndpoint(options);
  return (request) => endpoint.respond(request);
}

/** A buffered result, before its cost is known. */
interface BufferedResult {
  readonly result: RenderedResult;
  readonly text: string;
  /** Undefined for a result that must not be cached. */
  readonly caching: CachingHeaders | undefined;
}

class GraphqlEndpoint {
  readonly #options: GraphqlOptions;
  readonly #persistedQueries = createPersistedQueries();
  readonly #trustedDocuments = new TrustedDocuments();

  constructor(options: GraphqlOptions) {
    this.#options = options;
  }

  async respond(request: AuthenticatedRequest): Promise<HttpResponse> {
    const documents = [this.#persistedQueries, this.#trustedDocuments] as const;
    const sent = await readGraphqlRequest(request, ...documents);

    if (!acceptsAnyResponse(request)) throw notAcceptable();
    if (!sent) return this.#reject([persistedQueryNotFound()], request);

    let operation: Operation;
    try {
      operation = this.#prepare(sent, request);
      request.graphql = {
        type: operation.definition.operation,
        name: request.payer?.documents ? operation.definition.name?.value : undefined,
      };
      checkOperation(operation, request, sent.isExplained ? 'buffered' : operation.delivery);
      if (sent.isExplained) return await this.#explain(operation, request);
    } catch (error) {
      return this.#reject(error instanceof InvalidDocument ? error.errors : [error], request);
    }

    return this.#run(operation, request);
  }

  /** Responds with what an operation costs, and with the problems of its arguments. */
  async #explain(operation: Operation, request: AuthenticatedRequest): Promise<HttpResponse> {
    if (!operation.variables) return this.#reject(operation.errors, request);

    const { execution } = this.#options;
    const { problems, ...explain } = await execution.quote(operation, request.work);
    const errors = problems.length > 0 ? { errors: problems } : {};
    const result = renderResult({ data: {}, ...errors }, request, this.#options);
    const text = JSON.stringify({ ...result, extensions: { explain } });

    return bufferedResponse(result, text, request);
  }

  #prepare(
    { params, sha256Hash }: GraphqlRequest,
    { work, query: parameters }: AuthenticatedRequest,
  ): Operation {
    const { query, operationName, variables } = params;
    const isRouter = parameters.get('subgraph') === 'true';
    const prepared = this.#options.execution.prepare(query, { work, operationName, isRouter });

    // Only the hashes of valid queries are registered.
    if (sha256Hash !== undefined) this.#persistedQueries.set(sha256Hash, query);
    return prepared.coerce(variables);
  }

  async #run(operation: Operation, request: AuthenticatedRequest): Promise<HttpResponse> {
    const { execution } = this.#options;
    const isNewFormat = negotiate('deferred', request) === deferredV02;
    const run = await execution.stream(
      operation,
      request,
      {
        mode: operation.delivery === 'buffered' ? 'buffered' : 'streaming',
        resume: { lastEventId: String(request.request.headers['last-event-id'] ?? '') },
        asJson: true,
        deferFormat: isNewFormat ? 'incremental-v0.2' : '2022',
      },
      (executed, context) => this.#render(executed, operation, context, request),
    );

    return 'parts' in run
      ? respondStreaming(run, operation.delivery, request, this.#options)
      : this.#respondBuffered(run, request);
  }

  /** Renders a result before it is charged, because it may exceed the maximum length. */
  async #render(
    executed: ExecutionResult,
    operation: Operation,
    context: Context,
    request: AuthenticatedRequest,
  ): Promise<Rendered<BufferedResult>> {
    const result = renderResult(executed, request, this.#options);
    const text = await responseJson(result, context.nextTurn);
    const isCacheable =
      request.method === 'GET' && !result.errors && negotiate('buffered', request) !== eventStream;
    const etag = () => this.#options.etagOf({ text }, request.payer?.id);
    const caching = isCacheable
      ? { ...this.#cachingHeaders(operation, context), etag: etag() }
      : undefined;

    return { value: { result, text, caching }, clientHasIt: clientHas(caching?.etag, request) };
  }

  /**
   * Returns the caching headers of a result: those of its rows, unless it selects volatile values.
   */
  #cachingHeaders(operation: Operation, { fields, lookup }: Context): CachingHeaders {
    const maxAges = fields.flatMap(({ maxAge }) => maxAge ?? []);
    const maxAge = maxAges.length > 0 ? Math.min(...maxAges) : undefined;
    const headers = ageHeaders(lookup.outcomes, maxAge, this.#options.clock.now());
    const cacheControl = headers['cache-control'] ?? 'no-store';
    const isStable =
      (selectsOnlyRows(operation) && !fields.some(({ registrarRecord }) => registrarRecord)) ||
      cacheControl === 'no-store';

    return { ...headers, 'cache-control': isStable ? cacheControl : 'private, no-cache' };
  }

  #respondBuffered(run: RunResult<BufferedResult>, request: AuthenticatedRequest): HttpResponse {
    if ('error' in run && run.isRefused) return this.#reject([run.error], request);
    const { result, text, caching } = unwrapRun(run, request);
    if (caching && isNotModified(caching.etag, request)) return notModifiedResponse(caching);
    return bufferedResponse(result, withCost(text, run.cost), request, caching);
  }

  /** Responds to a request that was not executed. */
  #reject(errors: readonly unknown[], request: AuthenticatedRequest): HttpResponse {
    const result = renderResult({ errors }, request, this.#options);
    return bufferedResponse(result, JSON.stringify(result), request);
  }
}

/** Counts the work of an operation, and checks that the client accepts its response. */
function checkOperation(
  operation: Operation,
  request: AuthenticatedRequest,
  delivery: Operation['delivery'],
): void {
  if (operation.definition.operation === 'mutation' && request.method === 'GET') {
    request.responseHeaders['allow'] = 'POST';
    throw new Problem('method_not_allowed', 'Send mutations with POST.');
  }
  if (!negotiate(delivery, request)) throw notAcceptable(delivery);
  request.work.spend(workMs.names(countEntries(operation)));
}

/** Client libraries recognise this message, whatever the HTTP status, and send the query. */
function persistedQueryNotFound(): Problem {
  return new Problem('persisted_query_not_found', 'PersistedQueryNotFound');
}

function notAcceptable(delivery: Operation['delivery'] = 'buffered'): Problem {
  return new Problem(
    'not_acceptable',
    `The Accept header has no media type of this operation. Accept ${acceptedTypes[delivery]}.`,
  );
}

/** Returns whether an operation selects only rows. Balances and registry health are volatile. */
function selectsOnlyRows({ definition, rootFields }: Operation): boolean {
  return (
    definition.operation === 'query' && rootFields.every(({ type }) => type?.name === 'Domain')
  );
}
