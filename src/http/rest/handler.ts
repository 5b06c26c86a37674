import { parse, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { IdempotencyRecord } from '../../accounts/credits.ts';
import type { Clock } from '../../clock.ts';
import type { Context, OpenContext } from '../../context.ts';
import { csvColumns, csvContentType, csvOf } from '../../csv.ts';
import { Problem } from '../../domain/problems.ts';
import { ageHeaders, type EtagFactory } from '../response/etag.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
  type HttpRequestContext,
  type HttpResponse,
} from '../http-request-context.ts';
import { compile, type CompiledQuery } from '../graphql/operation/compiled-query.ts';
import { completeRestResponse } from '../response/complete-response.ts';
import { readFieldLookups } from '../graphql/operation/field-lookups.ts';
import { toSnakeCaseKeys } from './key-naming.ts';
import { withRefundOnError } from '../response/refund-on-error.ts';
import { statusStreamOperation } from './saved-operations.ts';
import {
  prepareOperation,
  type Operation,
  type PreparedOperation,
} from '../graphql/operation/operation.ts';
import { streamResults } from './stream-results.ts';
import { dataFreshness } from './rows.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import type { TimeSlices } from '../request/time-slices.ts';

interface RestHandlerOptions {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
  readonly slices: TimeSlices;
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
  readonly #operation: PreparedOperation;
  readonly #streamOperation: PreparedOperation;
  readonly #compiled: CompiledQuery;

  constructor(route: RestRoute, options: RestHandlerOptions) {
    this.#route = route;
    this.#options = options;
    this.#operation = prepareSavedOperation(route.operation, options.schema);
    this.#streamOperation = prepareSavedOperation(statusStreamOperation, options.schema);
    const compiled = compile(options.schema, parse(route.operation));
    if (!compiled) throw new Error(`The saved operation of ${route.path} cannot be compiled.`);
    this.#compiled = compiled;
  }

  async respond(request: AuthenticatedRequest): Promise<HttpResponse> {
    const { clock } = this.#options;
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const parsed = await this.#route.parse(request);
    const operation = this.#readOperation(parsed);
    const context = await this.#openContext(operation, parsed, request);
    if (parsed.stream)
      return streamResults(parsed.stream, { operation, context, request, durationMs });
    const response = await withRefundOnError(context.meter, request, async () => {
      const data = await this.#run(operation, parsed, context);
      return this.#createResponse(parsed, data, durationMs(), request);
    });
    return completeRestResponse(response, context, request);
  }

  #readOperation({ stream, variables }: ParsedRestRequest): Operation {
    const operation = (stream ? this.#streamOperation : this.#operation).coerce(variables);
    if (!operation.variables)
      throw (
        operation.errors[0] ?? new Error('The variables of a saved operation cannot be coerced.')
      );
    return operation;
  }

  async #openContext(
    operation: Operation,
    { namesParam, stream, openIdempotencyRecord }: ParsedRestRequest,
    request: AuthenticatedRequest,
  ): Promise<Context> {
    const fields = await readFieldLookups(operation, {
      maxEntries: Infinity,
      slices: this.#options.slices,
    });
    // The saved subscription has no argument for a time budget.
    const lookups = stream
      ? fields.map((field) => ({ ...field, budgetMs: stream.budgetMs }))
      : fields;
    const idempotencyRecord = await openIdempotencyRecord?.();
    try {
      const context = await this.#options.openContext(
        lookups,
        request,
        this.#route.responseMode,
        idempotencyRecord,
      );
      if (idempotencyRecord) {
        await withRefundOnError(context.meter, request, () => idempotencyRecord.bind());
        releaseWhenSettled(idempotencyRecord, context, request);
      }
      return context;
    } catch (error) {
      idempotencyRecord?.release();
      throw error instanceof Problem && error.code === 'too_many_lookups'
        ? new Problem(error.code, error.message, { param: namesParam })
        : error;
    }
  }

  async #run(
    { variables }: Operation,
    { paramNames = {} }: ParsedRestRequest,
    context: Context,
  ): Promise<unknown> {
    const { data, errors } = await this.#compiled(context, variables?.coerced ?? {});
    if (errors?.[0]) throw restErrorOf(errors[0], paramNames);
    return data;
  }

  #createResponse(
    parsed: ParsedRestRequest,
    data: unknown,
    durationMs: number,
    { payer }: AuthenticatedRequest,
  ): HttpResponse {
    const { etagOf, clock } = this.#options;
    const { body, rows, csv } = parsed.body(data, durationMs);
    const namedBody = parsed.hasSnakeCaseKeys ? (toSnakeCaseKeys(body) as object) : body;
    const isGet = this.#route.method === 'GET';
    const cacheHeaders = isGet
      ? {
          // Each representation has its own tag (RFC 9110 section 8.8.3).
          etag: etagOf(csv ? { ...body, csvColumns } : namedBody, payer?.id),
          ...ageHeaders(rows, parsed.variables.maxAge, clock.now()),
        }
      : {};
    const headers = { ...cacheHeaders, 'x-data-freshness': dataFreshness(rows) };
    return csv
      ? { status: 200, headers: { 'content-type': csvContentType, ...headers }, body: csvOf(csv) }
      : jsonResponse(200, namedBody, headers);
  }
}

function prepareSavedOperation(source: string, schema: GraphQLSchema): PreparedOperation {
  const operation = prepareOperation({ schema, document: parse(source) });
  if (!operation) throw new Error('A saved document has several operations.');
  return operation;
}

/**
 * Releases the idempotency key, for which the next call may be waiting, once the response has ended
 * and its cost is settled.
 */
function releaseWhenSettled(
  { release }: IdempotencyRecord,
  { meter }: Context,
  { onResponseClosed }: HttpRequestContext,
): void {
  onResponseClosed(() => void (meter ? meter.settle('aborted').then(release, release) : release()));
}

/** Converts an error of a saved operation. Its `param` becomes the name that the endpoint uses. */
function restErrorOf(
  { originalError, message }: GraphQLError,
  paramNames: Readonly<Record<string, string>>,
): Error {
  if (!(originalError instanceof Problem)) return originalError ?? new Error(message);
  const { code, message: detail, param, cause, retryAfter } = originalError;
  return new Problem(code, detail, {
    cause,
    ...(param !== undefined && { param: paramNames[param] ?? param }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
