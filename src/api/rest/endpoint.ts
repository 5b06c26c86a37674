import type { IdempotencyRecord } from '../../accounts/idempotency.ts';
import type { Clock } from '../../clock.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf, notStreamed } from '../../execution/result.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';
import { csvColumns, csvContentType, csvOf, type CsvRow } from '../../shared/csv.ts';
import {
  jsonResponse,
  type AuthenticatedHandler,
  type AuthenticatedRequest,
  type HttpResponse,
} from '../../server/http-request-context.ts';
import {
  type Alias,
  type AliasMeaning,
  type CountAliases,
} from '../../server/messages/deprecations.ts';
import type { EtagFactory } from '../../server/messages/etag.ts';
import { ageHeaders, dataFreshness } from '../../server/messages/freshness.ts';
import {
  respondConditionally,
  unwrapRun,
  type ParameterNames,
} from '../../server/messages/run-response.ts';
import { streamedRows, type StreamOptions } from './bulk-results.ts';
import type { OpenIdempotencyRecord } from './idempotency-key.ts';
import { toSnakeCaseKeys } from './key-naming.ts';
import { parametersNamed } from './parameters.ts';
import type { JsonSchema, Properties, ShapeSource } from './shape.ts';

/**
 * An endpoint of the REST API: its description, its parameters, the saved operation that it runs,
 * and its body. Routes and the OpenAPI document are made of it.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: `/v1/${string}` | '/probe';
  readonly tag: 'Names' | 'TLDs' | 'Sites';
  readonly summary: string;
  readonly description: string;
  /** The query of an example, or its body. */
  readonly example?: string;
  /** Description of the 200 response. */
  readonly success: string;
  /** The parameters by their name in `components.parameters`. */
  readonly parameters: Properties;
  readonly aliases: readonly Alias[];
  readonly problems: readonly ProblemCode[];
  /** The GraphQL operation of requests that do not choose another one; without one, none is run. */
  readonly operation?: string;
  /** The media type of the body, if it is not JSON. */
  readonly mediaType?: string;
  readonly schema: (schemas: BodySource) => JsonSchema;
  readonly requestSchema?: (schemas: BodySource) => JsonSchema;
  /** Media types that stream the response, with the schema of an item. */
  readonly streams?: Properties;
  /** Other media types, with the schema of the response. */
  readonly alternatives?: Properties;
  /**
   * Parses a request; for a GET, only from its target and the naming header. Throws a `Problem`
   * that names the invalid parameter.
   */
  parse(
    request: AuthenticatedRequest,
    options: RestOptions,
  ): ParsedRestRequest | Promise<ParsedRestRequest>;
}

/** What an endpoint is declared with. */
export interface Definition extends Omit<Endpoint, 'method' | 'path' | 'aliases'> {
  /** Deprecated names of parameters, or of members of the body, with their meanings. */
  readonly aliases?: Readonly<Record<string, AliasMeaning>>;
}

/** Declares an endpoint. The parameters, headers and problems that all have are added. */
export function endpoint(
  route: `${Endpoint['method']} ${Endpoint['path']}`,
  definition: Definition,
): Endpoint {
  const [method, path] = route.split(' ') as [Endpoint['method'], Endpoint['path']];
  const { parameters, aliases = {} } = definition;
  const isGet = method === 'GET';
  const naming = parametersNamed('naming', 'Service-Naming');

  return {
    ...definition,
    method,
    path,
    aliases: Object.entries(aliases).map(([name, meaning]) => ({
      method,
      path,
      name,
      location: isGet ? 'query' : 'body',
      ...meaning,
    })),
    parameters: isGet
      ? { ...parameters, ...naming, ...parametersNamed('If-None-Match') }
      : { ...naming, ...parameters },
    problems: [...callerProblems, ...definition.problems],
  };
}

/** The problems of all operations that require a key. */
export const callerProblems = [
  'missing_api_key',
  'invalid_api_key',
  'forbidden_operation',
  'forbidden_origin',
  'rate_limited',
  'internal',
  'overloaded',
  'unavailable',
] as const satisfies readonly ProblemCode[];

/** The problems of all operations whose parameters can be invalid. */
export const parameterProblems = [
  'missing_parameter',
  'invalid_parameter',
  'invalid_naming',
] as const satisfies readonly ProblemCode[];

/**
 * What the schemas of a body are made of. `properties` are the members of the root field of the
 * endpoint's operation, or of each row if it is a list.
 */
export interface BodySource extends ShapeSource {
  /** Returns the members of another operation's data. */
  propertiesOf(operation: string): Properties;
  readonly aliases: Properties;
}

export interface RestOptions {
  /** Maximum number of TLDs or names in one `/v1/status` request. */
  readonly maxTlds: number;
  readonly maxInputs: number;
  readonly openIdempotencyRecord: OpenIdempotencyRecord;
  readonly docsUrl: () => string;
  readonly countAliases: CountAliases;
  readonly slices: TimeSlices;
}

/** What an endpoint answers, before it is rendered. */
interface RestResult {
  readonly body: object;
  /**
   * What the headers about caching and freshness describe instead of the outcomes of the lookups: a
   * page that could not be read is data, which HTTP caches must not store.
   */
  readonly outcomes?: readonly OutcomeAge[];
  /** The results, if they are sent as CSV instead of the body. */
  readonly csv?: readonly CsvRow[] | undefined;
  /** Plain text that is sent instead of the body. */
  readonly text?: string | undefined;
}

export interface ParsedRestRequest {
  /** How problems of the operation name its arguments. */
  readonly names?: ParameterNames;
  /** A saved operation instead of that of the endpoint. */
  readonly operation?: string;
  readonly variables: { readonly maxAge?: number | undefined; readonly [name: string]: unknown };
  readonly hasSnakeCaseKeys: boolean;
  /**
   * Returns the body, from the data of the operation, its duration in whole milliseconds, and the
   * current time in epoch ms.
   */
  readonly render: (
    data: unknown,
    durationMs: number,
    catalogue: Catalogue,
    now: number,
  ) => RestResult;
  /**
   * Waits for other calls with the same idempotency key, and reads what they were charged. Throws
   * `idempotency_conflict`.
   */
  readonly openIdempotencyRecord?: (() => Promise<IdempotencyRecord>) | undefined;
  /** Streams the results instead of sending the body. */
  readonly stream?: StreamOptions | undefined;
}

export interface RestHandlerOptions extends RestOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
}

/** The operation of endpoints without one: it determines the cost and the balance. */
const costOnly = '{ __typename }';

/**
 * Returns the handler of an endpoint. It runs the GraphQL resolvers, so both APIs return the same
 * data.
 */
export function restHandler(handled: Endpoint, options: RestHandlerOptions): AuthenticatedHandler {
  const { execution, clock } = options;
  return async (request) => {
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const parsed = await handled.parse(request, options);
    const { stream, variables, names, openIdempotencyRecord: openRecord } = parsed;

    if (stream) {
      const { operation, budgetMs } = stream;
      const result = await execution.stream<HttpResponse>(
        execution.saved(operation).coerce(variables),
        request,
        { mode: 'streaming', budgetMs, openRecord },
        notStreamed,
      );

      return 'parts' in result
        ? streamedRows(stream, result, request, durationMs)
        : unwrapRun(result, request, names);
    }

    const saved = execution.saved(parsed.operation ?? handled.operation ?? costOnly);
    const result = await execution.run(
      saved.coerce(variables),
      request,
      { mode: handled.method === 'GET' ? 'buffered' : 'streaming', openRecord },
      (executed, { catalogue, lookup: { outcomes } }) => {
        const ms = durationMs();
        const body = parsed.render(dataOf(executed), ms, catalogue, clock.now());
        const rendered = { outcomes, ...body };
        const response = createResponse(handled, parsed, rendered, request.payer?.id, options);

        return respondConditionally(response, request);
      },
    );

    return unwrapRun(result, request, names);
  };
}

function createResponse(
  { method, operation }: Endpoint,
  { hasSnakeCaseKeys, variables }: ParsedRestRequest,
  { body, outcomes, csv, text }: RestResult & { readonly outcomes: readonly OutcomeAge[] },
  payerId: string | undefined,
  { etagOf, clock }: RestHandlerOptions,
): HttpResponse {
  const namedBody = hasSnakeCaseKeys ? (toSnakeCaseKeys(body) as object) : body;
  const isGet = method === 'GET';

  // Each representation has its own tag (RFC 9110 section 8.8.3).
  const tagged = csv ? { ...body, csvColumns } : text === undefined ? namedBody : { text };
  const headers = {
    ...(isGet && { etag: etagOf(tagged, payerId) }),
    // Clients use endpoints without lookups to check keys. A response reused without
    // revalidation would hide that a key has been revoked.
    ...(operation === undefined
      ? { 'cache-control': 'private, no-cache' }
      : {
          ...(isGet && ageHeaders(outcomes, variables.maxAge, clock.now())),
          'x-data-freshness': dataFreshness(outcomes),
        }),
  };

  const contentType = csv ? csvContentType : 'text/plain; charset=utf-8';
  const plain = csv ? csvOf(csv) : text;

  return plain === undefined
    ? jsonResponse(200, namedBody, headers)
    : { status: 200, headers: { 'content-type': contentType, ...headers }, body: plain };
}
