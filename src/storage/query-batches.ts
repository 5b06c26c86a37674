import DataLoader from 'dataloader';

interface BatchLimits {
  /** Queries per batch. */
  readonly batchSize: number;
  /** Batches in progress; further queries wait until one of them completes. */
  readonly concurrentBatches: number;
}

/**
 * Returns a function that combines the queries of one turn of the event loop into batches.
 * `runBatch` returns one result per query, in order.
 */
export function queryBatches<Query, Result>(
  runBatch: (queries: readonly Query[]) => Promise<readonly Result[]>,
  { batchSize, concurrentBatches }: BatchLimits,
): (query: Query) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = concurrentBatches;

  const startNext = () => {
    const dispatch = free > 0 && waiting.shift();
    if (!dispatch) return;
    free -= 1;
    setImmediate(dispatch);
  };

  const run = async (queries: readonly Query[]) => {
    try {
      return await runBatch(queries);
    } finally {
      free += 1;
      startNext();
    }
  };

  const loader = new DataLoader<Query, Result>(run, {
    cache: false,
    maxBatchSize: batchSize,
    batchScheduleFn(dispatch) {
      waiting.push(dispatch);
      startNext();
    },
  });

  return (query) => loader.load(query);
}
