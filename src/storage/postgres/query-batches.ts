import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

interface BatchLimits {
  /** Queries per batch. */
  readonly batchSize: number;
  /** Batches in progress; further queries wait until one of them completes. */
  readonly concurrentBatches: number;
}

interface PendingQuery<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Combines the queries of one turn of the event loop into batches. */
export class QueryBatches<Query, Result> {
  readonly #runBatch: (queries: readonly Query[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  readonly #pending: PendingQuery<Query, Result>[] = [];
  #inProgress = 0;
  #isStarting = false;

  /** `runBatch` returns one result per query, in order. */
  constructor(
    runBatch: (queries: readonly Query[]) => Promise<readonly Result[]>,
    limits: BatchLimits,
  ) {
    this.#runBatch = runBatch;
    this.#limits = limits;
  }

  run(query: Query): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#pending.push({ query, resolve, reject });
    void this.#start();
    return promise;
  }

  async #start(): Promise<void> {
    if (
      this.#isStarting ||
      this.#pending.length === 0 ||
      this.#inProgress === this.#limits.concurrentBatches
    )
      return;
    this.#isStarting = true;
    await yieldToEventLoop();
    this.#isStarting = false;
    while (this.#pending.length > 0 && this.#inProgress < this.#limits.concurrentBatches) {
      void this.#settleBatch(this.#pending.splice(0, this.#limits.batchSize));
    }
  }

  async #settleBatch(batch: readonly PendingQuery<Query, Result>[]): Promise<void> {
    this.#inProgress += 1;
    try {
      const results = await this.#runBatch(batch.map(({ query }) => query));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('A query of the batch has no result.'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#inProgress -= 1;
    void this.#start();
  }
}
