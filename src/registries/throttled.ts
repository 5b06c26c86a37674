import type { Clock } from '../clock.ts';
import { failedAnswer, withProvenance, type Answer, type Attempt } from '../domain/answer.ts';
import {
  keyOf,
  type AttemptRequest,
  type BeforeRedirect,
  type Query,
  type RequestOutcome,
  type Source,
} from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';
import type { Permit, RequestQueue } from '../outbound/queues/request-queue.ts';
import type { OnParserError } from './rdap/rdap-exchange.ts';
import { FairSlots } from '../outbound/queues/fair-slots.ts';

type QueueOf = (url: string) => RequestQueue;

export interface ThrottleOptions {
  /** Returns the queue of the source's own host. */
  readonly queueOf: QueueOf;
  /** Returns the queue of a redirect target. */
  readonly redirectQueueOf: QueueOf;
  readonly clock: Clock;
  readonly onParserError: OnParserError;
}

/**
 * Queries a source when its host queue grants a permit, and follows each redirect when the queue of
 * its target grants one.
 */
export function throttledSource<Q extends Query, T>(
  source: Source<Q, T>,
  { clock, queueOf, redirectQueueOf, onParserError }: ThrottleOptions,
): Source<Q, T> {
  const { id } = source;

  async function lookUp(query: Q, request: AttemptRequest): Promise<Answer<T>> {
    try {
      return await source.lookup(query, request);
    } catch (error) {
      // Caught here so that the permit is always released and every lookup gets an answer.
      onParserError(id, error);
      const detail = 'The response could not be parsed.';
      return failedAnswer(new Problem('registry_error', detail, { cause: error }));
    }
  }

  return {
    id,
    async lookup(query, request) {
      const key = keyOf(query);
      const queuedAt = clock.now();
      const acquired = queueOf(id).acquire(key, request);
      const permit = acquired instanceof Promise ? await acquired : acquired;

      const ms = clock.now() - queuedAt;
      const attempt = (code: string): Attempt => ({ phase: 'queue', ms, code });
      if (permit instanceof Problem)
        return failedAnswer(permit, { attempts: [attempt(permit.code)] });

      const { beforeRedirect, onAnswered, end } = heldPermit(
        permit,
        id,
        key,
        request,
        redirectQueueOf,
      );
      const answer = await lookUp(query, { ...request, beforeRedirect, onAnswered });
      const { failure, attempts } = answer.provenance;
      end({ failure, problem: answer.problem });

      return withProvenance(answer, { attempts: [attempt('sent'), ...attempts] });
    },
  };
}

/**
 * Holds the permit of one request, which changes with each redirect. The last permit records the
 * outcome.
 */
function heldPermit(
  first: Permit,
  firstUrl: string,
  key: string,
  request: AttemptRequest,
  queueOf: QueueOf,
) {
  let permit: Permit | undefined = first;
  let url = firstUrl;

  const end = (outcome: RequestOutcome): void => {
    permit?.end(outcome);
    permit = undefined;
  };

  const beforeRedirect: BeforeRedirect = async (to, deadline, signal) => {
    // The permit is released before the next one is acquired: otherwise two hosts that redirect to
    // each other could deadlock.
    end({});

    // A redirect of a retry within one host does not take another retry from its budget.
    const retry = request.retry === true && to.origin !== new URL(url).origin;
    url = to.href;
    const limits = { signal, queueDeadline: deadline, responseDeadline: deadline, retry };
    const next = await queueOf(url).acquire(key, { ...request, ...limits });
    if (next instanceof Problem) return next;

    permit = next;
    return undefined;
  };

  return { beforeRedirect, onAnswered: () => permit?.recordResponse() === true, end };
}

/**
 * Shares a limited number of lookups in flight between accounts, for a registry without a host
 * queue. A lookup that cannot start by its queue deadline fails with `registry_busy`.
 */
export function fairShareSource<Q extends Query, T>(
  source: Source<Q, T>,
  maxInFlight: number,
  clock: Clock,
): Source<Q, T> {
  const slots = new FairSlots({ maxInFlight, clock });
  return {
    id: source.id,
    async lookup(query, request) {
      const release = await slots.acquire(request);
      if (!release) {
        const detail = 'Too many lookups are in flight at the sandbox registry. Try again in 1 s.';
        return failedAnswer(new Problem('registry_busy', detail, { retryAfter: 1 }));
      }

      request.observer?.onSent(keyOf(query));
      try {
        return await source.lookup(query, request);
      } finally {
        release();
      }
    },
  };
}
