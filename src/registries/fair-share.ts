import type { Clock } from '../clock.ts';
import { failedAnswer, type Answer } from '../domain/answer.ts';
import type { AttemptRequest, Source } from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';
import { FairSlots } from '../outbound/queues/fair-slots.ts';

/**
 * Shares a limited number of lookups in flight between accounts, for a registry without a host
 * queue. A lookup that cannot start by its queue deadline fails with `registry_busy`.
 */
export class FairShareSource<Q, T> implements Source<Q, T> {
  readonly #source: Source<Q, T>;
  readonly #slots: FairSlots;

  constructor(source: Source<Q, T>, maxInFlight: number, clock: Clock) {
    this.#source = source;
    this.#slots = new FairSlots({ maxInFlight, clock });
  }

  get id(): string {
    return this.#source.id;
  }

  async lookup(query: Q, request: AttemptRequest): Promise<Answer<T>> {
    const release = await this.#slots.acquire(request);
    if (!release) return failedAnswer(busyProblem());
    try {
      return await this.#source.lookup(query, request);
    } finally {
      release();
    }
  }
}

function busyProblem(): Problem {
  const detail = 'Too many lookups are in flight at the sandbox registry. Try again in 1 s.';
  return new Problem('registry_busy', detail, { retryAfter: 1 });
}
