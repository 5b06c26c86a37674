import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

export interface PollingOptions {
  readonly maxInFlight: number;
  /** Whether the end of an item may make another one due. */
  readonly hasSuccessors?: boolean;
  /** What is logged if items could not be claimed, or one could not be processed. */
  readonly failures: { readonly ofClaim: string; readonly ofItem: string };
  readonly clock: Clock;
  readonly log: Log;
}

/** How often items are claimed that nothing has reported, such as those of a process that died. */
const roundMs = 10_000;

/** Works on items that are due, several at a time, from the first `wake` until it is stopped. */
export abstract class PollingWorker<Item> {
  readonly #options: PollingOptions;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #round: Promise<void> | undefined;
  #isDue = false;
  /** Whether more items may be due than were claimed. */
  #isFull = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PollingOptions) {
    this.#options = options;
  }

  /** Claims items that are due, which no other process then works on. */
  protected abstract claim(limit: number): Promise<readonly Item[]>;

  protected abstract process(item: Item): Promise<void>;

  /** Returns the time until an item is due that nothing reports. */
  protected async untilDueMs(): Promise<number> {
    return roundMs;
  }

  /** Is aborted when the worker stops. */
  protected get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isStopping(): boolean {
    return this.stopSignal.aborted;
  }

  /** Reports that something may be due. */
  wake(): void {
    this.#isDue = true;
    if (this.isStopping || this.#round) return;

    this.#cancelTimer?.();
    this.#round = this.#claimWhileDue().finally(() => {
      this.#round = undefined;
      if (this.#isDue) this.wake();
    });
  }

  /** Claims what is due now. */
  protected async claimDue(): Promise<void> {
    this.wake();
    await this.#round;
  }

  /** Claims nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer?.();
    await this.idle();
  }

  /** Resolves when nothing is in flight, and everything that was due is done. */
  async idle(): Promise<void> {
    while (this.#round || this.#inFlight.size > 0) {
      await this.#round;
      await Promise.all(this.#inFlight);
    }
  }

  async #claimWhileDue(): Promise<void> {
    const { maxInFlight, failures, clock, log } = this.#options;
    let waitMs = roundMs;
    try {
      while (this.#isDue && !this.isStopping) {
        this.#isDue = false;
        const free = maxInFlight - this.#inFlight.size;
        const items = free > 0 ? await this.claim(free) : [];
        this.#isFull = items.length === free;
        for (const item of items) this.#start(item);
      }

      waitMs = Math.min(waitMs, await this.untilDueMs());
    } catch (error) {
      this.#isDue = false;
      log.warn({ err: error }, failures.ofClaim);
    }

    if (!this.isStopping) this.#cancelTimer = clock.after(Math.max(waitMs, 0), () => this.wake());
  }

  #start(item: Item): void {
    const { hasSuccessors, failures, log } = this.#options;
    const running = this.process(item)
      .catch((error: unknown) => {
        if (!this.isStopping) log.warn({ err: error }, failures.ofItem);
      })
      .finally(() => {
        this.#inFlight.delete(running);
        if (hasSuccessors || this.#isFull) this.wake();
      });

    this.#inFlight.add(running);
  }
}
