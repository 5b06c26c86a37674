import type { IdempotencyRecord } from '../../accounts/credits.ts';
import type { QueueTimeouts } from '../../context.ts';
import type { AuthenticatedRequest } from '../http-request-context.ts';
import type { NdjsonOptions } from './stream-ndjson.ts';
import type { RestRow } from './rows.ts';

/**
 * An endpoint of the REST API: its parameters, the saved operation that it runs, and its response
 * body.
 */
export interface RestRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly operation: string;
  readonly responseMode: keyof QueueTimeouts;
  /**
   * Parses a request; for a GET, only from its target and the naming header. Throws a `Problem`
   * that names the invalid parameter.
   */
  parse(request: AuthenticatedRequest): ParsedRestRequest | Promise<ParsedRestRequest>;
}

export interface ParsedRestRequest {
  /** The parameter that contains the names, for the problem of too many names. */
  readonly namesParam: string;
  /** Maps arguments of the operation to parameters of the endpoint, where their names differ. */
  readonly paramNames?: Readonly<Record<string, string>>;
  readonly variables: { readonly maxAge: number | undefined; readonly [name: string]: unknown };
  /** The keys of the response are in snake_case. */
  readonly hasSnakeCaseKeys: boolean;
  /**
   * Returns the body and its rows, from the data of the operation and its duration in whole
   * milliseconds.
   */
  readonly body: (
    data: unknown,
    durationMs: number,
  ) => { readonly body: object; readonly rows: readonly RestRow[] };
  /**
   * Waits for other calls with the same idempotency key, and reads what they were charged. Throws
   * `idempotency_conflict`.
   */
  readonly openIdempotencyRecord?: (() => Promise<IdempotencyRecord>) | undefined;
  /** Streams the rows as NDJSON instead of sending the body. */
  readonly ndjson?: NdjsonOptions | undefined;
}
