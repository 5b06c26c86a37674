import type { AttemptRequest, RequestOutcome } from '../../domain/source.ts';
import type { Problem } from '../../domain/problems.ts';

/** Queues requests to one host until they may be sent. */
export interface RequestQueue {
  /**
   * Returns a permit when the request may be sent: synchronously if that is now. Returns a problem
   * otherwise: `registry_busy` immediately if the request cannot be sent by `queueDeadline`, too
   * many lookups of its account failed, or the account has used its share of the day;
   * `registry_error` while the circuit breaker is open. Never rejects.
   */
  acquire(name: string, request: AttemptRequest): Permit | Problem | Promise<Permit | Problem>;
  /**
   * Returns the ms between requests for which no caller waits: they get a tenth of the rate.
   * Undefined if none may be sent now, because callers have used the host in the last seconds or
   * its requests per day are limited.
   */
  backgroundIntervalMs(): number | undefined;
}

/** Allows one request to a host. */
export interface Permit {
  /**
   * Records a successful response before it is parsed, and sends queued requests. Returns whether
   * one was sent.
   */
  recordResponse(): boolean;
  /** Records the outcome of the request. Only the first call of either method has an effect. */
  end(outcome: RequestOutcome): void;
}
