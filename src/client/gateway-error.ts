interface ErrorDetails {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly param?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** A request that the gateway rejected, or that did not reach it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /**
   * A problem code of the gateway, such as `invalid_name` or `insufficient_credits`;
   * `connection_failed` if there was no complete response, and `unexpected_response` if it is not
   * from a gateway.
   */
  readonly code: string;
  /** What happened, and what to do. */
  readonly detail: string;
  /** The parameter at fault. */
  readonly param: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  readonly status: number | undefined;
  /** Identifies the request in the log of the gateway. */
  readonly requestId: string | undefined;

  constructor(code: string, detail: string, details: ErrorDetails = {}) {
    super(`${code}: ${detail}`, { cause: details.cause });
    this.code = code;
    this.detail = detail;
    this.param = details.param;
    this.retryAfter = details.retryAfter;
    this.status = details.status;
    this.requestId = details.requestId;
  }
}
