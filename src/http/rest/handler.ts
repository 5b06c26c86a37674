import type { GraphQLSchema } from 'graphql';
import type { IdempotencyRecord } from '../../accounts/credits.ts';
import type { Clock } from '../../clock.ts';
import type { Context, OpenContext } from '../../execution/context.ts';
import { csvColumns, csvContentType, csvOf } from '../../shared/csv.ts';
import { ageHeaders, type EtagFactory } from '../messages/etag.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
  type HttpRequestContext,
  type HttpResponse,
} from '../http-request-context.ts';
import { completeRestResponse } from '../messages/complete-response.ts';
import { readFieldLookups } from '../../execution/field-lookups.ts';
import { toSnakeCaseKeys } from './key-naming.ts';
import { withRefundOnError } from '../messages/refund-on-error.ts';
import { statusStreamOperation } from './saved-operations.ts';
import type { Operation, PreparedOperation } from '../../execution/operation.ts';
import {
  coerceSaved,
  namingTooManyLookups,
  prepareSavedOperation,
  SavedOperation,
} from '../../execution/saved-operation.ts';
import { streamResults } from './stream-results.ts';
import { dataFreshness } from './rows.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';

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
  /** Saved operations by their text. */
  readonly #operations = new Map<string, SavedOperation>();
  readonly #streamOperation: PreparedOperation;

  constructor(route: RestRoute, options: RestHandlerOptions) {
    this.#route = route;
    this.#options = options;
    this.#savedOperation(route.operation);
    this.#streamOperation = prepareSavedOperation(statusStreamOperation, options.schema);
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
      const data = await this.#savedOperation(parsed.operation).run(
        operation,
        context,
        parsed.paramNames,
      );
      return this.#createResponse(parsed, data, durationMs(), request);
    });
    return completeRestResponse(response, context, request);
  }

  #readOperation({ stream, operation, variables }: ParsedRestRequest): Operation {
    return stream
      ? coerceSaved(this.#streamOperation, variables)
      : this.#savedOperation(operation).coerce(variables);
  }

  #savedOperation(source = this.#route.operation): SavedOperation {
    const existing = this.#operations.get(source);
    if (existing) return existing;
    const operation = new SavedOperation(source, this.#options.schema);
    this.#operations.set(source, operation);
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
        await withRefundOnError(context.meter, request, () =>
          bindIfCharged(idempotencyRecord, context),
        );
        releaseWhenSettled(idempotencyRecord, context, request);
      }
      return context;
    } catch (error) {
      idempotencyRecord?.release();
      throw namingTooManyLookups(error, namesParam);
    }
  }

  #createResponse(
    parsed: ParsedRestRequest,
    data: unknown,
    durationMs: number,
    { payer }: AuthenticatedRequest,
  ): HttpResponse {
    const { etagOf, clock } = this.#options;
    const { body, rows, csv, text } = parsed.body(data, durationMs);
    const namedBody = parsed.hasSnakeCaseKeys ? (toSnakeCaseKeys(body) as object) : body;
    const isGet = this.#route.method === 'GET';
    const cacheHeaders = isGet
      ? {
          // Each representation has its own tag (RFC 9110 section 8.8.3).
          etag: etagOf(
            csv ? { ...body, csvColumns } : text === undefined ? namedBody : { text },
            payer?.id,
          ),
          ...ageHeaders(rows, parsed.variables.maxAge, clock.now()),
        }
      : {};
    const headers = { ...cacheHeaders, 'x-data-freshness': dataFreshness(rows) };
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

/** Binds an idempotency key to a call that has a price: repeating a free call costs nothing. */
async function bindIfCharged({ bind }: IdempotencyRecord, { meter }: Context): Promise<void> {
  const cost = await meter?.currentCost();
  if (cost && cost.requested > 0) await bind();
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
