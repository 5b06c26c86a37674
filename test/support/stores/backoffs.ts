import type { Clock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { keyValueBackoffs } from '../../../src/storage/open.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { Backoffs } from '../../../src/outbound/queues/backoffs.ts';

/** Creates the back-offs of a process, in a new store unless one is given. */
export function createBackoffs(clock: Clock, store = new MemoryAnswers()): Backoffs {
  return new Backoffs(keyValueBackoffs(store, clock), clock, createLog('silent'));
}
