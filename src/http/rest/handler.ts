import type { Clock } from '../../clock.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';
import type { Operation, PreparedOperation } from '../../execution/operation.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf, notStreamed } from '../../execution/result.ts';
import { csvColumns, csvContentType, csvOf } from '../../shared/csv.ts';
import type { EtagFactory } from '../messages/etag.ts';
import { ageHeaders, dataFreshness } from '../messages/freshness.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
  type HttpResponse,
} from '../http-request-context.ts';
import { conditional, valueOf } from '../messages/run-response.ts';
import { toSnakeCaseKeys } from './key-naming.ts';
import { statusStreamOperation } from './saved-operations.ts';
import { streamedRows, type StreamOptions } from './stream-results.ts';
import type { ParsedRestRequest, RestResult, RestRoute } from './rest-route.ts';

interface RestHandlerOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
}

/**
 * Returns the handler of a route. It runs the GraphQL resolvers, so both APIs return the same data.
 */
export function restHandler(route: RestRoute, options: RestHandlerOptions): AuthenticatedHandler {
  const endpoint = new RestEndpoint(route, options);
  return (request) => endpoint.respond(request);
}

class RestEndpoint {
  readonly #route: RestRoute;
  readonly #options: RestHandlerOptions;
  /** Saved operations by their text. */
  readonly #operations = new Map<string, () => Promise<PreparedOperation>>();

  constructor(route: RestRoute, options: RestHandlerOptions) {
    this.#route = route;
    this.#options = options;
  }

  async respond(request: AuthenticatedRequest): Promise<HttpResponse> {
    const { clock } = this.#options;
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const parsed = await this.#route.parse(request);
    return parsed.stream
      ? this.#streamRows(parsed, parsed.stream, request, durationMs)
      : this.#run(parsed, request, durationMs);
  }

  async #run(
    parsed: ParsedRestRequest,
    request: AuthenticatedRequest,
    durationMs: () => number,
  ): Promise<HttpResponse> {
    const { execution } = this.#options;
    const { operation = this.#route.operation, variables, openIdempotencyRecord } = parsed;
    const result = await execution.run(
      await this.#prepare(operation, variables),
      request,
      { mode: this.#route.responseMode, openRecord: openIdempotencyRecord },
      (executed, { lookup: { outcomes } }) => {
        const rendered = { outcomes, ...parsed.body(dataOf(executed), durationMs()) };
        return conditional(this.#createResponse(parsed, rendered, request.payer?.id), request);
      },
    );
    return valueOf(result, request, parsed);
  }

  async #streamRows(
    parsed: ParsedRestRequest,
    stream: StreamOptions,
    request: AuthenticatedRequest,
    durationMs: () => number,
  ): Promise<HttpResponse> {
    const result = await this.#options.execution.stream<HttpResponse>(
      await this.#prepare(statusStreamOperation, parsed.variables),
      request,
      {
        mode: 'streaming',
        budgetMs: stream.budgetMs,
        openRecord: parsed.openIdempotencyRecord,
      },
      notStreamed,
    );
    return 'parts' in result
      ? streamedRows(stream, result, request, durationMs)
      : valueOf(result, request, parsed);
  }

  async #prepare(document: string, variables: ParsedRestRequest['variables']): Promise<Operation> {
    const prepare = this.#operations.get(document) ?? this.#options.execution.saved(document);
    this.#operations.set(document, prepare);
    return (await prepare()).coerce(variables);
  }

  #createResponse(
    { variables, hasSnakeCaseKeys }: ParsedRestRequest,
    { body, csv, text, outcomes }: RestResult & { readonly outcomes: readonly OutcomeAge[] },
    payerId: string | undefined,
  ): HttpResponse {
    const { etagOf, clock } = this.#options;
    const namedBody = hasSnakeCaseKeys ? (toSnakeCaseKeys(body) as object) : body;
    const isGet = this.#route.method === 'GET';
    const cacheHeaders = isGet
      ? {
          // Each representation has its own tag (RFC 9110 section 8.8.3).
          etag: etagOf(
            csv ? { ...body, csvColumns } : text === undefined ? namedBody : { text },
            payerId,
          ),
          ...ageHeaders(outcomes, variables.maxAge, clock.now()),
        }
      : {};
    const headers = { ...cacheHeaders, 'x-data-freshness': dataFreshness(outcomes) };
    if (text !== undefined)
      return {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
        body: text,
      };
    return csv
      ? { status: 200, headers: { 'content-type': csvContentType, ...headers }, body: csvOf(csv) }
      : jsonResponse(200, namedBody, headers);
  }
}
