import DataLoader from 'dataloader';
import type { CacheRead, Query, ReadCache } from '../domain/source.ts';
import type { RecordLength, ValueLimit } from './value-limit.ts';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * Starting the lookups at one registry takes 0.25 ms; the first answers arrive after about 20 ms.
 */
const defaultTasksPerTick = 8;

/**
 * Returns a function that schedules tasks. They run in order, `tasksPerTick` per tick of the event
 * loop, so that their requests are sent and other operations are served in between. The first batch
 * waits one microtask and `process.nextTick`, like DataLoader's default scheduler.
 */
export function batchScheduler(tasksPerTick = defaultTasksPerTick): (task: () => void) => void {
  const pending: (() => void)[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));

    while (pending.length > 0) {
      for (const task of pending.splice(0, tasksPerTick)) task();
      if (pending.length > 0) await yieldToEventLoop();
    }

    isRunning = false;
  }

  return (task) => {
    pending.push(task);
    if (!isRunning) void run();
  };
}

/**
 * Creates a loader of distinct queries, which needs no cache. DataLoader resolves a key with the value
 * at its index. With promises as values, each query settles on its own, without waiting for its batch.
 */
export function createLoader<Q, T>(
  lookUp: (queries: readonly Q[]) => Promise<readonly (T | Promise<T>)[]>,
  schedule: (task: () => void) => void,
): DataLoader<Q, T> {
  const batch = async (queries: readonly Q[]) => (await lookUp(queries)) as readonly T[];
  return new DataLoader(batch, { batchScheduleFn: schedule, cache: false });
}

/**
 * Returns undefined while an operation may go on, and otherwise a promise of its next turn, before
 * which other requests are served. `later`: the work follows in a microtask, so that the time that
 * it takes is not known when others of the operation ask.
 */
export type NextTurn = (work?: 'now' | 'later') => Promise<void> | undefined;

/** Stored records that are read in one turn: each may have a million characters. */
const recordsPerTurn = 5;

/**
 * Reads the stored answers to queries over several turns, unless only verdicts are needed. Stops
 * when the records have too many characters.
 */
export async function readInTurns<Q extends Query, T extends RecordLength | null>(
  readCache: ReadCache<Q, T>,
  queries: readonly Q[],
  values: ValueLimit,
  nextTurn: NextTurn,
): Promise<ReadonlyMap<string, CacheRead<T>>> {
  if (queries.every(({ detail }) => detail === 'verdict')) return readCache(queries);

  const reads = new Map<string, CacheRead<T>>();
  for (let read = 0; read < queries.length && !values.isExceeded; read += recordsPerTurn) {
    for (const [key, found] of await readCache(queries.slice(read, read + recordsPerTurn))) {
      reads.set(key, found);
      values.spendRecord(found.answer ? found.answer.data : found.cached);
    }
    if (read + recordsPerTurn < queries.length) await nextTurn();
  }

  return reads;
}
