import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

interface BatchLimits {
  /** Questions of one group. */
  readonly batchSize: number;
  /** Groups in progress; what is asked meanwhile waits until one of them ends. */
  readonly concurrentBatches: number;
}

interface PendingQuery<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Runs together what is asked in one turn of the event loop. */
export class QueryBatches<Query, Result> {
  readonly #runBatch: (queries: readonly Query[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  readonly #pending: PendingQuery<Query, Result>[] = [];
  #inProgress = 0;
  #isStarting = false;

  /** `run` returns an answer to each question, in the same order. */
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
        if (result === undefined) reject(new Error('a question was not answered'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#inProgress -= 1;
    void this.#start();
  }
}
