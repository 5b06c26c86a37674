import type { DomainName } from '../../../src/domain/names/domain-name.ts';
import type { AttemptRequest, RequestOutcome } from '../../../src/domain/source.ts';
import { Problem } from '../../../src/domain/problems.ts';
import { DailyAllowance } from '../../../src/outbound/queues/daily-allowance.ts';
import type { HostLimits } from '../../../src/outbound/queues/host-limits.ts';
import { HostQueue } from '../../../src/outbound/queues/host-queue.ts';
import type { Permit } from '../../../src/outbound/queues/request-queue.ts';
import { manualClock } from '../time/manual-clock.ts';

const minute = 60_000;

/** Limits that never delay a request. */
export const unlimited: HostLimits = { rate: 0, burst: 0, concurrency: Infinity };

/**
 * Opens a queue with its own clock. `sent` contains the names that got a permit, in order, and
 * `rejected` those that got a problem.
 */
export function openQueue(limits: Partial<HostLimits>) {
  const clock = manualClock();
  const { perDay } = limits;
  const queue = new HostQueue({
    host: 'rdap.test',
    limits: { ...unlimited, ...limits },
    clock,
    dailyAllowance: perDay === undefined ? undefined : new DailyAllowance(perDay, clock),
  });
  const sent: string[] = [];
  const rejected: string[] = [];
  const permits = new Map<string, Permit>();
  async function add(
    name: string,
    { waitMs = minute, ...request }: Partial<AttemptRequest> & { waitMs?: number } = {},
  ): Promise<void> {
    const attemptRequest = {
      signal: new AbortController().signal,
      queueDeadline: clock.now() + waitMs,
      account: 'alice',
      priority: 'single',
      ...request,
    } as const;
    const permit = await queue.acquire(name as DomainName, attemptRequest);
    if (permit instanceof Problem)
      return void rejected.push(`${name}: ${permit.code}, ${permit.retryAfter} s`);
    sent.push(name);
    permits.set(name, permit);
  }
  return {
    clock,
    sent,
    rejected,
    add,
    addAll: (names: string, request: Parameters<typeof add>[1] = {}) =>
      void names.split(' ').map((name) => add(name, request)),
    /** Records that the response has arrived. */
    responded: (name: string) => permits.get(name)?.recordResponse(),
    /** Ends the request; with `retryAfter`, its response is a 429 with this `Retry-After`. */
    end: (name: string, retryAfter?: number) =>
      permits.get(name)?.end(retryAfter === undefined ? {} : busy(retryAfter)),
  };
}

const busy = (retryAfter: number): RequestOutcome => ({
  failure: 'busy',
  problem: new Problem('registry_busy', '', { retryAfter }),
});

/** Resolves after the handlers of already settled promises have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
