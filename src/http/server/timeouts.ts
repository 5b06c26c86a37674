/** How long a client may take, in milliseconds, and what it may leave unread. The first four are those of Node's server. */
export interface Timeouts {
  readonly headersTimeout: number;
  /** For headers and body. */
  readonly requestTimeout: number;
  /** For the next request on a connection. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For a response to be read, beside what its length takes at the slowest pace. */
  readonly readTimeoutMs: number;
  readonly minBytesPerMs: number;
  /** For a response to be read in all, however long it is; of a stream, the time in which it waits for its reader. */
  readonly totalReadTimeoutMs: number;
  /** Bytes of all responses that wait for their readers; beyond them, the one that has waited longest is cut off. */
  readonly maxUnreadBytes: number;
  /** For the next requests on open connections when the gateway stops. */
  readonly drainTimeoutMs: number;
  /** For a client to close its side of a connection that the gateway has ended. */
  readonly closeTimeoutMs: number;
}

/** Slow clients are disconnected within seconds, while others are served: Node's own limits are minutes, and none for readers. */
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
