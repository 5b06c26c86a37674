import { expect, it } from 'vitest';
import { priorities, type AttemptRequest } from '../../../src/domain/source.ts';
import { FairQueue } from '../../../src/outbound/queues/fair-queue.ts';
import { QueuedRequest } from '../../../src/outbound/queues/request-queue.ts';
import { seed } from '../../fuzz/fuzzing.ts';
import { seededRandom, type Random } from '../../support/time/random.ts';

const accounts = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;
const steps = 3000;

/** The same order, found by looking at all requests each time. */
class NaiveQueue {
  requests: QueuedRequest[] = [];
  readonly turns = new Map<string, number>();

  next(maySend: (account: string) => boolean): QueuedRequest | undefined {
    const turn = (request: QueuedRequest) => this.turns.get(request.attempt.account) ?? 0;
    const [next] = this.requests
      .filter(({ attempt }) => maySend(attempt.account))
      .toSorted((a, b) => a.urgency - b.urgency || turn(a) - turn(b) || a.position - b.position);
    if (next) this.turns.set(next.attempt.account, Math.max(0, ...this.turns.values()) + 1);
    return next;
  }

  delete(request: QueuedRequest): void {
    this.requests = this.requests.filter((other) => other !== request);
    if (this.requests.length === 0) this.turns.clear();
  }

  /** Counts each request of another account up to the number that this one would then have. */
  countAhead({ account }: AttemptRequest, urgency: number): number {
    const equal = this.requests.filter((request) => request.urgency === urgency);
    const of = (name: string) => equal.filter(({ attempt }) => attempt.account === name).length;
    const inTurn = accounts.map((name) => Math.min(of(name), of(account) + 1));
    const first = this.requests.filter((request) => request.urgency < urgency).length;
    return inTurn.reduce((sum, count) => sum + count, first);
  }
}

it(`sends, counts and expires requests in the order of a naive model (seed ${seed})`, () => {
  const random = seededRandom(seed);
  const [queue, naive] = [new FairQueue(), new NaiveQueue()];
  const remove = (request: QueuedRequest) => [queue, naive].forEach((each) => each.delete(request));
  for (let step = 0; step < steps; step += 1) {
    const request = new QueuedRequest(String(step), randomAttempt(random));
    expect(queue.countAhead(request.attempt)).toBe(
      naive.countAhead(request.attempt, request.urgency),
    );
    // The queue grows and shrinks in turn, so that it is often empty.
    if (random.chance(step % 200 < 100 ? 0.7 : 0.2)) {
      queue.add(request);
      naive.requests.push(request);
    }
    const any = naive.requests[random.below(naive.requests.length)];
    if (any && random.chance(0.1)) remove(any);
    else if (any && random.chance(0.2)) queue.update(any, randomAttempt(random));

    const blocked = accounts.filter(() => random.chance(0.2));
    const maySend = (account: string) => !blocked.some((name) => name === account);
    const next = random.chance(0.5) ? naive.next(maySend) : undefined;
    if (next) expect(queue.next(maySend)?.name).toBe(next.name);
    if (next) remove(next);

    const deadlines = naive.requests.map(({ deadline }) => deadline);
    expect(queue.firstToExpire?.deadline ?? Infinity).toBe(Math.min(...deadlines));
    const account = random.pick(accounts);
    const own = naive.requests.filter(({ attempt }) => attempt.account === account);
    expect(new Set(queue.ofAccount(account))).toEqual(new Set(own));
    expect(queue.size).toBe(naive.requests.length);
  }
});

function randomAttempt(random: Random): AttemptRequest {
  return {
    signal: new AbortController().signal,
    account: random.pick(accounts),
    queueDeadline: random.below(1000),
    priority: random.pick(priorities),
    ...(random.chance(0.2) && { responseDeadline: 1 }),
  };
}
