/**
 * Limits on slow clients: times in milliseconds, and unread bytes. The first four are options of
 * Node's HTTP server.
 */
export interface Timeouts {
  readonly headersTimeout: number;
  /** For receiving headers and body. */
  readonly requestTimeout: number;
  /** For receiving the next request on a connection. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For reading a response, plus the time that its length takes at `minBytesPerMs`. */
  readonly readTimeoutMs: number;
  readonly minBytesPerMs: number;
  /**
   * For reading a response of any length. For a stream, only the time spent waiting for the client
   * counts.
   */
  readonly totalReadTimeoutMs: number;
  /** Of all responses that wait for their clients. Above this, the oldest is aborted. */
  readonly maxUnreadBytes: number;
  /** For receiving further requests on open connections when the gateway stops. */
  readonly drainTimeoutMs: number;
  /** For the client to close its side of a connection that the gateway has ended. */
  readonly closeTimeoutMs: number;
}

/**
 * Disconnects slow clients within seconds. Node's defaults are minutes, and it has no limit for
 * clients that do not read.
 */
export const defaultTimeouts: Timeouts = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
  readTimeoutMs: 30_000,
  minBytesPerMs: 10,
  totalReadTimeoutMs: 300_000,
  maxUnreadBytes: 256 * 1024 * 1024,
  drainTimeoutMs: 500,
  closeTimeoutMs: 1000,
};
