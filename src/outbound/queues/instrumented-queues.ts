import type { Clock } from '../../clock.ts';
import type { HostStatus } from '../../domain/catalogue.ts';
import type { FailureKind } from '../../domain/answer.ts';
import type { RequestOutcome } from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';
import type { HostQueue } from './host-queue.ts';
import type { HostQueues } from './host-queues.ts';
import type { Permit, RequestQueue } from './request-queue.ts';

/** Records the outcomes of requests to registry hosts. */
interface RequestMetrics {
  /** Records a request that was not sent: its deadline could not be met, or it was blocked. */
  recordRejected(host: string): void;
  recordCompleted(host: string, outcome: OutcomeLabel, ms: number): void;
  /** Records a completed request with an answer. */
  recordAnswered(host: string): void;
  /** Records the problem code of a completed request without an answer. */
  recordFailed(host: string, code: string): void;
}

/** `invalid`: an inconclusive response, or a status such as 400 or 403; `error`: no usable HTTP response. */
type OutcomeLabel = 'answered' | 'invalid' | 'error' | Exclude<FailureKind, 'down'>;

/** Wraps host queues to record the outcome and the duration of each request. */
export class InstrumentedQueues {
  readonly #queues: HostQueues;
  readonly #clock: Clock;
  readonly #metrics: RequestMetrics;
  readonly #registries = new Map<string, HostQueue>();

  constructor(queues: HostQueues, clock: Clock, metrics: RequestMetrics) {
    this.#queues = queues;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Returns the queue of a registry, labelled with its host. */
  registryQueue(baseUrl: string): RequestQueue {
    const { host } = new URL(baseUrl);
    const queue = this.#queues.registryQueue(baseUrl);
    this.#registries.set(host, queue);
    return this.#instrument(queue, host);
  }

  /** Returns the queue of the servers of a parent zone. All zones share one label. */
  zoneQueue(url: string): RequestQueue {
    return this.#instrument(this.#queues.ephemeralQueue(url), 'dns');
  }

  /** Returns the queue of a registrar's host. There are thousands, so all share one label. */
  registrarQueue(url: string): RequestQueue {
    return this.#instrument(this.#queues.ephemeralQueue(url), 'registrars');
  }

  /** Returns the queue of a redirect target. All hosts that are not registries share one label. */
  redirectQueue(url: string): RequestQueue {
    return this.#registries.has(new URL(url).host)
      ? this.registryQueue(url)
      : this.#instrument(this.#queues.ephemeralQueue(url), 'redirected');
  }

  /** Returns the status of every registry host queried so far. */
  *hostStatuses(): Iterable<readonly [host: string, status: HostStatus]> {
    for (const [host, queue] of this.#registries) yield [host, queue.status()];
  }

  #instrument(queue: RequestQueue, host: string): RequestQueue {
    return {
      acquire: (name, request) => {
        const acquired = queue.acquire(name, request);
        return acquired instanceof Promise
          ? acquired.then((permit) => this.#measure(permit, host))
          : this.#measure(acquired, host);
      },
      backgroundIntervalMs: () => queue.backgroundIntervalMs(),
    };
  }

  #measure(permit: Permit | Problem, host: string): Permit | Problem {
    if (permit instanceof Problem) {
      this.#metrics.recordRejected(host);
      return permit;
    }
    const sentAt = this.#clock.elapsed();
    let durationMs: number | undefined;
    return {
      recordResponse: () => {
        durationMs = this.#clock.elapsed() - sentAt;
        return permit.recordResponse();
      },
      end: (outcome) => {
        permit.end(outcome);
        const label = outcomeLabelOf(outcome);
        const ms = durationMs ?? this.#clock.elapsed() - sentAt;
        this.#metrics.recordCompleted(host, label, ms);
        if (label === 'answered') this.#metrics.recordAnswered(host);
        else this.#metrics.recordFailed(host, outcome.problem?.code ?? label);
      },
    };
  }
}

function outcomeLabelOf({ failure, problem }: RequestOutcome): OutcomeLabel {
  if (failure === 'down') return 'error';
  const isAnswered = !problem || problem.code === 'not_delegated';
  return failure ?? (isAnswered ? 'answered' : 'invalid');
}
