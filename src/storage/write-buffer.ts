import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StoredAnswer } from '../domain/answer.ts';
import { replaces } from '../registries/cache/store.ts';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { once } from '../shared/memoize.ts';
import { charactersOf, toRow, type AnswerRow } from './row.ts';

/** The table that a write buffer writes to. */
export interface RowTable {
  /**
   * Writes all rows, which have distinct names, or none. A row that does not replace the stored one
   * changes nothing. `areLate`: an earlier write has failed.
   */
  write(rows: readonly AnswerRow[], areLate: boolean): Promise<void> | void;
  /**
   * Returns whether a write failed because the table is unavailable, so that it is retried. After
   * any other error, the rows are written one by one, and dropped if they are rejected again.
   */
  isUnavailable(error: unknown): boolean;
}

interface Entry {
  readonly answer: StoredAnswer;
  readonly row: () => AnswerRow;
}

/** The newest answers are retained while the table is unavailable. */
const maxRetained = { answers: 1000, characters: 30_000_000 };
const retryMs = 250;
/** Limits of one write, which then takes a few milliseconds. */
const maxBatch = { rows: 100, characters: 300_000 };

/**
 * Buffers answers and writes them in batches: those added within `delayMs` (0: in one turn of the
 * event loop) or during a write.
 */
export class WriteBuffer {
  readonly #table: RowTable;
  readonly #delayMs: number;
  readonly #log: Log;
  readonly #entries = new Map<string, Entry>();
  /** The write that has not started, the delay that it waits for, and the latest write. */
  #pendingWrite: Promise<void> | undefined;
  #delay = Promise.withResolvers<void>();
  #latestWrite: Promise<void> = Promise.resolve();
  #cancelRetry: (() => void) | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor(table: RowTable, delayMs: number, log: Log) {
    this.#table = table;
    this.#delayMs = delayMs;
    this.#log = log;
  }

  /** Whether a write has failed since the last one that wrote all answers. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Returns a buffered answer. It takes precedence over a stored one that it would replace. */
  get(name: string): StoredAnswer | undefined {
    return this.#entries.get(name)?.answer;
  }

  /**
   * Adds an answer unless a newer one is buffered. Resolves when it is written, or when the table
   * is unavailable and the answer is retained for a later write. Rejects if the table rejects the
   * rows.
   */
  add(answer: StoredAnswer): Promise<void> {
    if (replaces(answer, this.get(answer.name)))
      this.#entries.set(answer.name, { answer, row: once(() => toRow(answer)) });
    return this.#scheduleWrite();
  }

  /** Writes buffered answers without delay. Never rejects. */
  flush(): Promise<void> {
    this.#delay.resolve();
    return this.#latestWrite.catch(() => undefined);
  }

  /** Writes buffered answers; those that cannot be written are lost. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    if (!this.#pendingWrite && this.#entries.size > 0) void this.#retry();
    await this.flush();
  }

  #scheduleWrite(): Promise<void> {
    if (this.#pendingWrite) return this.#pendingWrite;

    const previous = this.#latestWrite.catch(() => undefined);
    this.#delay = Promise.withResolvers<void>();
    if (this.#delayMs > 0) systemClock.after(this.#delayMs, this.#delay.resolve);
    else this.#delay.resolve();
    this.#pendingWrite = this.#latestWrite = Promise.all([previous, this.#delay.promise]).then(() =>
      this.#writeAll(),
    );

    return this.#pendingWrite;
  }

  async #writeAll(): Promise<void> {
    const failures: unknown[] = [];
    await yieldToEventLoop();
    this.#pendingWrite = undefined;

    // The rows of a batch are made when it is its turn: those of a long search take megabytes.
    let isWritten = true;
    for (const entries of batchesOf([...this.#entries.values()])) {
      isWritten = await this.#write(entries, failures);
      if (!isWritten) break;
      // SQLite blocks: other requests are served after each batch.
      await yieldToEventLoop();
    }

    if (isWritten) this.#isFailing = false;
    if (failures.length > 0) throw failures[0];
  }

  /** Writes entries together. Adds to `failures`. Returns false if the table is unavailable. */
  async #write(entries: readonly Entry[], failures: unknown[]): Promise<boolean> {
    try {
      const rows = entries.map(({ row }) => row());
      await this.#table.write(rows, this.#isFailing);
    } catch (error) {
      if (this.#table.isUnavailable(error)) {
        this.#retainAndRetry(error);
        return false;
      }

      // A rejected row does not affect the others.
      if (entries.length > 1) return this.#writeOneByOne(entries, failures);
      failures.push(error);
    }

    this.#remove(entries);
    return true;
  }

  async #writeOneByOne(entries: readonly Entry[], failures: unknown[]): Promise<boolean> {
    for (const entry of entries) {
      await yieldToEventLoop();
      if (!(await this.#write([entry], failures))) return false;
    }
    return true;
  }

  #remove(entries: readonly Entry[]): void {
    // A newer answer for the same name may have been added during the write.
    for (const entry of entries)
      if (this.#entries.get(entry.answer.name) === entry) this.#entries.delete(entry.answer.name);
  }

  #retainAndRetry(error: unknown): void {
    if (!this.#isFailing)
      this.#log.error(
        { err: error },
        'Cache writes fail. The latest answers are held in memory and written later. Check the store.',
      );

    this.#isFailing = true;
    this.#evict();
    if (!this.#isClosed) this.#cancelRetry ??= systemClock.after(retryMs, () => void this.#retry());
  }

  #evict(): void {
    let characters = 0;
    for (const [index, { answer, row }] of Array.from(this.#entries.values())
      .toReversed()
      .entries()) {
      characters += charactersOf(row());
      if (index >= maxRetained.answers || characters > maxRetained.characters)
        this.#entries.delete(answer.name);
    }
  }

  /** Logs its own errors, as no caller waits for a retry. */
  async #retry(): Promise<void> {
    this.#cancelRetry = undefined;
    await this.#scheduleWrite().catch((error: unknown) =>
      this.#log.error({ err: error }, 'Retry of cache writes failed. The answers were dropped.'),
    );
  }
}

function* batchesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = [];
  let characters = 0;
  for (const entry of entries) {
    const size = charactersOf(entry.row());
    const isFull = batch.length >= maxBatch.rows || characters + size > maxBatch.characters;
    if (isFull && batch.length > 0) {
      yield batch;
      [batch, characters] = [[], 0];
    }

    batch.push(entry);
    characters += size;
  }

  if (batch.length > 0) yield batch;
}
