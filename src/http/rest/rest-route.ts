import type { IdempotencyRecord } from '../../accounts/credits.ts';
import type { QueueTimeouts } from '../../context.ts';
import type { AuthenticatedRequest } from '../http-request-context.ts';
import type { NdjsonOptions } from './stream-ndjson.ts';
import type { RestRow } from './rows.ts';

/** A path of the REST door: what it takes, the saved operation that it runs, and how the data becomes the body. */
export interface RestRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly operation: string;
  readonly responseMode: keyof QueueTimeouts;
  /** Reads the call; of a GET its target and the naming header alone. Throws a `Problem` that names the culprit. */
  parse(request: AuthenticatedRequest): ParsedRestRequest | Promise<ParsedRestRequest>;
}

export interface ParsedRestRequest {
  /** The parameter that holds the names: at fault when they are too many. */
  readonly namesParam: string;
  /** What an argument of the operation is called in this call, where that differs. */
  readonly paramNames?: Readonly<Record<string, string>>;
  readonly variables: { readonly maxAge: number | undefined; readonly [name: string]: unknown };
  /** The keys are wanted in snake_case. */
  readonly hasSnakeCaseKeys: boolean;
  /** The body, from the operation's data and the whole milliseconds that the call took, and the rows that it was made of. */
  readonly body: (
    data: unknown,
    durationMs: number,
  ) => { readonly body: object; readonly rows: readonly RestRow[] };
  /** Waits until no other call runs under the same idempotency key, and reads what earlier ones were charged. Throws `idempotency_conflict`. */
  readonly openIdempotencyRecord?: (() => Promise<IdempotencyRecord>) | undefined;
  /** Sends the rows as lines, as each is known, in place of the body. */
  readonly ndjson?: NdjsonOptions | undefined;
}
