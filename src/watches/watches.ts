import type { Clock } from '../clock.ts';
import type { LookupMeter } from '../domain/extension.ts';
import type { Log } from '../log.ts';
import { ChangeLog } from './change-log.ts';
import { Deliverer, type DelivererOptions } from './webhooks/deliverer.ts';
import { DeliveryQueue } from './webhooks/delivery-queue.ts';
import { watchNumbers } from './numbers.ts';
import type { ChangeType } from './observation.ts';
import type { Change, ChangeFilter, ListPage, Watch, Watcher } from './types.ts';
import { WatchList, type WatchListOptions } from './watch-list.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface WatchesOptions extends Omit<WatchListOptions, 'changeLog'> {
  /** Called when names are to be looked at now. */
  readonly onDue: () => void;
  readonly sender: Pick<WebhookSender, 'check' | 'send'>;
  readonly log: Log;
  readonly instruments: DelivererOptions['instruments'] & {
    readonly change: (type: ChangeType) => void;
  };
}

/** What all APIs call: the watched names of accounts, and their changes. */
export class Watches {
  readonly webhooks: Webhooks;
  readonly deliverer: Deliverer;
  readonly changeLog: ChangeLog;
  /** The watches of accounts. `watch` adds to them. */
  readonly names: WatchList;
  /** Counts what is watched, for the operator. */
  readonly numbers: ReturnType<typeof watchNumbers>;
  readonly #onDue: () => void;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();

  constructor(options: WatchesOptions) {
    const { database, clock, onDue, instruments } = options;
    this.#onDue = onDue;
    this.#clock = clock;
    this.changeLog = new ChangeLog(database, clock, {
      appended: instruments.change,
      announced: () => this.deliverer.wake(),
    });
    this.webhooks = new Webhooks(database, clock, this.changeLog, options.sender);

    const queue = new DeliveryQueue(database, clock, this.changeLog);
    this.deliverer = new Deliverer({ ...options, queue });
    this.numbers = watchNumbers(database, clock);
    this.names = new WatchList({ ...options, changeLog: this.changeLog });
  }

  /**
   * Watches names, or sets the label of those that are watched already. Returns one row for each entry,
   * in order; those that are not names have a problem. The first look is made at once. Rejects with
   * `insufficient_credits` or `too_many_watches`, and nothing is watched then. `meter` takes the
   * cost of the operation.
   */
  async watch(
    watcher: Watcher,
    names: readonly string[],
    label?: string | null,
    meter?: LookupMeter,
  ): Promise<readonly Watch[]> {
    const rows = await this.names.watch(watcher, names, label ?? undefined, meter);
    this.#onDue();
    return rows;
  }

  /**
   * Returns the changes of the names that an account watches, since it began to, oldest first. Rejects
   * with `CursorExpiredError`.
   */
  async changes(watcher: Watcher, filter: ChangeFilter, limit: number): Promise<ListPage<Change>> {
    const seq = filter.after === undefined ? 0 : await this.changeLog.seqOf(filter.after);
    return this.changeLog.read(watcher.id, seq, filter, limit);
  }

  /** Returns the cursor after all changes so far. */
  async head(): Promise<string> {
    return this.changeLog.cursorAt(await this.changeLog.headSeq());
  }

  /**
   * Yields the changes after `after`, by default those from now on, and then each new one until the
   * signal is aborted or the gateway stops. Its first step rejects with `CursorExpiredError`.
   */
  async *follow(
    watcher: Watcher,
    filter: ChangeFilter,
    signal: AbortSignal,
  ): AsyncGenerator<Change, void, void> {
    for await (const { items } of this.pages(watcher, filter, signal))
      for (const change of items) {
        if (signal.aborted || this.#stopping.signal.aborted) return;
        yield change;
      }
  }

  /**
   * Yields pages like `follow`, each with the cursor after it: one at once, and an empty one after
   * every 20 seconds without changes.
   */
  async *pages(
    watcher: Watcher,
    filter: ChangeFilter,
    signal: AbortSignal,
    limit = pageSize,
  ): AsyncGenerator<ListPage<Change> & { readonly cursor: string }, void, void> {
    const { after } = filter;
    let seq =
      after === undefined ? await this.changeLog.headSeq() : await this.changeLog.seqOf(after);
    const ending = AbortSignal.any([signal, this.#stopping.signal]);
    let yieldAt = -Infinity;
    while (!ending.aborted) {
      const head = await this.changeLog.headSeq();
      const { items, hasNext } = await this.changeLog.read(watcher.id, seq, filter, limit);
      seq = Math.max(hasNext ? 0 : head, items.at(-1)?.seq ?? seq);

      if (items.length > 0 || this.#clock.elapsed() >= yieldAt) {
        yield { items, hasNext, cursor: await this.changeLog.cursorAt(seq) };
        yieldAt = this.#clock.elapsed() + quietMs;
      }

      if (!hasNext) await this.#changed(seq, ending, yieldAt - this.#clock.elapsed());
    }
  }

  async #changed(seq: number, ending: AbortSignal, waitMs: number): Promise<void> {
    const waited = new AbortController();
    const cancel = this.#clock.after(waitMs, () => waited.abort());
    await this.changeLog.changed(seq, AbortSignal.any([ending, waited.signal]));
    cancel();
  }

  /** Ends all streams of changes and the deliveries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const stopped = this.deliverer.stop();
    this.changeLog.stop();
    await stopped;
  }
}

const pageSize = 100;
const quietMs = 20_000;
