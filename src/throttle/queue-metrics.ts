import type { Clock } from '../clock.ts';
import type { HostStatus } from '../domain/catalogue.ts';
import type { Failure, Outcome } from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';
import type { HostQueue } from './host-queue.ts';
import type { HostQueues } from './host-queues.ts';
import type { Permit, RequestQueue } from './request-queue.ts';

/** Receives what became of the requests to registry hosts. */
interface RequestReports {
  /** It could not be sent in time, the host does not respond, or too many lookups of the account failed. */
  unsent(host: string): void;
  ended(host: string, outcome: RequestOutcome, ms: number): void;
}

/** `unusable`: a response that proves nothing, or a refusal. */
type RequestOutcome = 'answered' | 'unusable' | Failure;

/** Reports what becomes of each request in the queues of the hosts. */
export class MeasuredQueues {
  readonly #queues: HostQueues;
  readonly #clock: Clock;
  readonly #reports: RequestReports;
  readonly #registries = new Map<string, HostQueue>();

  constructor(queues: HostQueues, clock: Clock, reports: RequestReports) {
    this.#queues = queues;
    this.#clock = clock;
    this.#reports = reports;
  }

  /** Returns the queue of a registry, reported under the name of its host. */
  registry(baseUrl: string): RequestQueue {
    const { host } = new URL(baseUrl);
    const queue = this.#queues.registry(baseUrl);
    this.#registries.set(host, queue);
    return this.#measured(queue, host);
  }

  /** Returns the queue of a registrar's host. There are thousands, so all have one name. */
  registrar(url: string): RequestQueue {
    return this.#measured(this.#queues.ephemeral(url), 'registrars');
  }

  /** Returns the queue of the host that a redirect leads to. All hosts that no registry has have one name. */
  redirected(url: string): RequestQueue {
    return this.#registries.has(new URL(url).host)
      ? this.registry(url)
      : this.#measured(this.#queues.ephemeral(url), 'redirected');
  }

  /** Returns the status of every registry host that was queried so far. */
  *health(): Iterable<readonly [host: string, status: HostStatus]> {
    for (const [host, queue] of this.#registries) yield [host, queue.status()];
  }

  #measured(queue: RequestQueue, host: string): RequestQueue {
    return {
      acquire: (name, request) => {
        const acquired = queue.acquire(name, request);
        return acquired instanceof Promise
          ? acquired.then((permit) => this.#begin(permit, host))
          : this.#begin(acquired, host);
      },
    };
  }

  #begin(permit: Permit | Problem, host: string): Permit | Problem {
    if (permit instanceof Problem) {
      this.#reports.unsent(host);
      return permit;
    }
    const sentAt = this.#clock.elapsed();
    let tookMs: number | undefined;
    return {
      responded: () => {
        tookMs = this.#clock.elapsed() - sentAt;
        return permit.responded();
      },
      end: (outcome) => {
        permit.end(outcome);
        this.#reports.ended(host, outcomeOf(outcome), tookMs ?? this.#clock.elapsed() - sentAt);
      },
    };
  }
}

function outcomeOf({ failure, problem }: Outcome): RequestOutcome {
  return failure ?? (problem ? 'unusable' : 'answered');
}
