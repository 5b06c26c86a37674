import type { DomainName } from '../domain/domain-name.ts';
import type { AttemptRequest, RequestOutcome } from '../domain/source.ts';
import type { Problem } from '../domain/problems.ts';

/** Where requests to one host wait until they may be sent. */
export interface RequestQueue {
  /**
   * Returns a permit as soon as the request may be sent, at once if it may be sent now. Or a problem: `registry_busy` at once if it cannot be
   * sent by `queueDeadline` or too many lookups of its account failed, `registry_error` while the host does not respond. Never rejects.
   */
  acquire(name: DomainName, request: AttemptRequest): Permit | Problem | Promise<Permit | Problem>;
}

/** Allows one request to a host. */
export interface Permit {
  /** Records a good response, so that the next request may be sent while this response is read. Returns whether one was sent. */
  recordResponse(): boolean;
  /** Records what came of the request. Only the first call of either method has an effect. */
  end(outcome: RequestOutcome): void;
}
