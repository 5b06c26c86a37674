import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../src/clock.ts';
import { Problem } from '../../../src/domain/problems.ts';
import { priorities } from '../../../src/domain/source.ts';
import { HostQueue } from '../../../src/outbound/queues/host-queue.ts';
import type { Permit } from '../../../src/outbound/queues/request-queue.ts';
import { alternate, compare, type Figure, type Scale } from '../figures.ts';

const [few, many] = [100, 10_000];
const accounts = 20;
const concurrency = 16;

/**
 * The processor time of the queue of a host for each request that is sent while 10,000 others wait,
 * compared with 100. They are those of 20 accounts, of all priorities.
 */
export async function queue({ rounds, seconds }: Scale): Promise<readonly Figure[]> {
  const sends = Math.round(3000 * seconds);
  const [full, short] = [await fill(many), await fill(few)];
  const pairs = await alternate(
    rounds,
    () => full(sends),
    () => short(sends),
    2,
  );
  return [
    compare(
      {
        id: 'queue',
        what: '10,000 queued requests of a host, compared with 100',
        unit: 'µs/request',
        target: { atMost: 2 },
      },
      pairs,
    ),
  ];
}

/** Fills a queue. Returns a function that replaces requests, and returns the µs for each. */
async function fill(queued: number): Promise<(sends: number) => Promise<number>> {
  const limits = { rate: 0, burst: 0, concurrency };
  const hostQueue = new HostQueue({ host: 'rdap.test', limits, clock: systemClock });
  const permits: Permit[] = [];
  let count = 0;
  const add = async () => {
    const index = (count += 1);
    const permit = await hostQueue.acquire(`name-${index}`, {
      signal: new AbortController().signal,
      account: `account-${index % accounts}`,
      priority: priorities[index % priorities.length] ?? 'bulk',
      queueDeadline: systemClock.now() + 3_600_000 + (index % 100),
    });
    if (permit instanceof Problem) throw permit;
    permits.push(permit);
  };
  for (let index = 0; index < queued + concurrency; index += 1) void add();
  await nextTurn();

  return async (sends) => {
    const before = process.cpuUsage();
    for (let sent = 0; sent < sends; sent += 1) {
      if (permits.length === 0) await nextTurn();
      permits.shift()?.end({});
      void add();
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / sends;
  };
}
