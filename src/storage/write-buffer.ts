import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaces } from '../cache/store.ts';
import { systemClock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Log } from '../log.ts';
import { charactersOf, type Row } from './row.ts';

/** The table that a write buffer fills. */
export interface RowTable {
  /** Writes rows of different names; one that is older than the stored one changes nothing. */
  write(rows: readonly Row[]): Promise<void> | void;
  /** Whether a write failed because the table is unavailable, so that it is repeated later. Rows of any other failure are dropped. */
  isUnavailable(error: unknown): boolean;
}

/** What waits for a table that is unavailable: the newest rows. */
const maxRetained = { rows: 1000, characters: 30_000_000 };
const retryMs = 250;
/** Rows that are written together, and their characters: some milliseconds. */
const maxPortion = { rows: 100, characters: 300_000 };

/** Writes together all rows that are added in one turn of the event loop, or while a write is in progress. */
export class WriteBuffer {
  readonly #table: RowTable;
  readonly #log: Log;
  readonly #rows = new Map<DomainName, Row>();
  /** The write that has not begun yet, and the latest one. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #cancelRetry: (() => void) | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor(table: RowTable, log: Log) {
    this.#table = table;
    this.#log = log;
  }

  /** Returns a row that is not written yet. It hides what is stored, where it would replace that. */
  get(name: DomainName): Row | undefined {
    return this.#rows.get(name);
  }

  /**
   * Adds a row, unless a newer one waits. Resolves when the row is written, or once the table turns out to be unavailable: then it is written
   * later. Rejects if the table refuses rows.
   */
  add(row: Row): Promise<void> {
    if (replaces(row, this.#rows.get(row.name))) this.#rows.set(row.name, row);
    return this.#write();
  }

  /** Settles when no write is in progress. Never rejects. */
  idle(): Promise<void> {
    return this.#last.catch(() => undefined);
  }

  /** Writes what was added; what the table does not take now is lost. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    await (this.#rows.size > 0 ? this.#retry() : this.idle());
  }

  #write(): Promise<void> {
    if (!this.#next) this.#next = this.#last = this.#writeAfter(this.idle());
    return this.#next;
  }

  async #writeAfter(previous: Promise<void>): Promise<void> {
    await previous;
    await nextTurn();
    this.#next = undefined;
    const failures: unknown[] = [];
    for (const rows of portions(this.#rows.values())) {
      try {
        await this.#table.write(rows);
        this.#isFailing = false;
      } catch (error) {
        if (this.#table.isUnavailable(error)) {
          this.#writeLater(error);
          break;
        }
        failures.push(error);
      }
      this.#remove(rows);
    }
    if (failures.length > 0) throw failures[0];
  }

  #remove(rows: readonly Row[]): void {
    // A newer row of the same name may have been added meanwhile.
    for (const row of rows) if (this.#rows.get(row.name) === row) this.#rows.delete(row.name);
  }

  #writeLater(error: unknown): void {
    if (!this.#isFailing) this.#log.error({ err: error }, 'Answers cannot be stored now. The latest are kept in memory until they can.');
    this.#isFailing = true;
    this.#evict();
    if (!this.#isClosed) this.#cancelRetry ??= systemClock.after(retryMs, () => void this.#retry());
  }

  #evict(): void {
    let characters = 0;
    for (const [index, row] of Array.from(this.#rows.values()).toReversed().entries()) {
      characters += charactersOf(row);
      if (index >= maxRetained.rows || characters > maxRetained.characters) this.#rows.delete(row.name);
    }
  }

  /** Writes on behalf of no caller: nothing else reports a failure. */
  async #retry(): Promise<void> {
    this.#cancelRetry = undefined;
    await this.#write().catch((error: unknown) => this.#log.error({ err: error }, 'answers could not be stored'));
  }
}

function portions(rows: Iterable<Row>): readonly (readonly Row[])[] {
  const all: Row[][] = [];
  let characters = Infinity;
  for (const row of rows) {
    characters += charactersOf(row);
    if (characters > maxPortion.characters || (all.at(-1)?.length ?? Infinity) >= maxPortion.rows) {
      all.push([]);
      characters = charactersOf(row);
    }
    all.at(-1)?.push(row);
  }
  return all;
}
