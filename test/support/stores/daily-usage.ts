import type { Clock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { DailyUsage } from '../../../src/outbound/queues/daily-usage.ts';

/** Creates the daily use of a process, in a new store and for one node unless they are given. */
export function createDailyUsage(clock: Clock, store = new MemoryAnswers(), nodes = 1): DailyUsage {
  return new DailyUsage({ store, nodes, clock, log: createLog('silent') });
}
