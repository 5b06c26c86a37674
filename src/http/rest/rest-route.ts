import type { IdempotencyRecord } from '../../accounts/idempotency.ts';
import type { OutcomeAge } from '../../domain/outcome.ts';
import type { QueueTimeouts } from '../../execution/context.ts';
import type { CsvRow } from '../../shared/csv.ts';
import type { AuthenticatedRequest } from '../http-request-context.ts';
import type { ParameterNames } from '../messages/run-response.ts';
import type { StreamOptions } from './stream-results.ts';

/**
 * An endpoint of the REST API: its parameters, the saved operation that it runs, and its response
 * body.
 */
export interface RestRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** The saved operation of requests that do not choose another one. */
  readonly operation: string;
  readonly responseMode: keyof QueueTimeouts;
  /**
   * Parses a request; for a GET, only from its target and the naming header. Throws a `Problem`
   * that names the invalid parameter.
   */
  parse(request: AuthenticatedRequest): ParsedRestRequest | Promise<ParsedRestRequest>;
}

export interface RestResult {
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

export interface ParsedRestRequest extends ParameterNames {
  /** A saved operation instead of that of the route. */
  readonly operation?: string;
  readonly variables: { readonly maxAge: number | undefined; readonly [name: string]: unknown };
  /** The keys of the response are in snake_case. */
  readonly hasSnakeCaseKeys: boolean;
  /**
   * Returns the body, from the data of the operation and its duration in whole milliseconds.
   */
  readonly body: (data: unknown, durationMs: number) => RestResult;
  /**
   * Waits for other calls with the same idempotency key, and reads what they were charged. Throws
   * `idempotency_conflict`.
   */
  readonly openIdempotencyRecord?: (() => Promise<IdempotencyRecord>) | undefined;
  /** Streams the results instead of sending the body. */
  readonly stream?: StreamOptions | undefined;
}
