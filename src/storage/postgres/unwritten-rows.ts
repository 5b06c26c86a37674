import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaces } from '../../cache/store.ts';
import { systemClock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import type { Row } from '../row.ts';
import { DatabaseAway } from './database-away.ts';

/** Answers on their way into the database. */
export interface UnwrittenRows {
  get(name: DomainName): Row | undefined;
  /** Resolves when the row is written, or as soon as the database turns out to be away: then it is written later. */
  add(row: Row): Promise<void>;
  /** Settles when nothing is being written. */
  idle(): Promise<void>;
  /** Writes what was added; what the database does not take now is lost. */
  close(): Promise<void>;
}

/** Rows that wait for the database to come back, the newest. */
const mostWaiting = 1000;
const tryAgainMs = 250;

/** Rows of one statement, and their JSON: some 10 ms. */
const writtenAtOnce = { rows: 100, characters: 300_000 };

/** Writes all that is added in one turn of the event loop, or while a statement is under way, at once. */
export function unwrittenRows(write: (rows: readonly Row[]) => Promise<void>, log: Log): UnwrittenRows {
  const waiting = new Map<DomainName, Row>();
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let cancelRetry: (() => void) | undefined;
  let closed = false;

  function writeNext(): Promise<void> {
    if (next) return next;
    next = last
      .catch(() => undefined)
      .then(() => nextTurn())
      .then(() => {
        next = undefined;
        return writeAll(Array.from(waiting.values()));
      });
    last = next;
    return next;
  }

  async function writeAll(rows: readonly Row[]): Promise<void> {
    for (const some of portions(rows)) {
      try {
        await write(some);
      } catch (error) {
        if (error instanceof DatabaseAway) return writeLater();
        forget(some);
        throw error;
      }
      forget(some);
    }
  }

  function forget(rows: readonly Row[]): void {
    for (const row of rows) if (waiting.get(row.name) === row) waiting.delete(row.name);
  }

  function writeLater(): void {
    for (const name of Array.from(waiting.keys()).slice(0, -mostWaiting)) waiting.delete(name);
    if (!closed) cancelRetry ??= systemClock.after(tryAgainMs, retry);
  }

  function retry(): void {
    cancelRetry = undefined;
    writeNext().catch((error: unknown) => log.error({ err: error }, 'answers could not be stored'));
  }

  return {
    get: (name) => waiting.get(name),
    add(row) {
      if (replaces(row, waiting.get(row.name))) waiting.set(row.name, row);
      return writeNext();
    },
    idle: () => last.catch(() => undefined),
    async close() {
      closed = true;
      cancelRetry?.();
      await (waiting.size > 0 ? writeNext() : last);
    },
  };
}

function portions(rows: readonly Row[]): readonly (readonly Row[])[] {
  const all: Row[][] = [];
  let characters = Infinity;
  for (const row of rows) {
    const size = (row.summary?.length ?? 0) + (row.record?.length ?? 0);
    const full = (all.at(-1)?.length ?? Infinity) >= writtenAtOnce.rows || characters + size > writtenAtOnce.characters;
    if (full) all.push([]);
    characters = full ? size : characters + size;
    all.at(-1)?.push(row);
  }
  return all;
}
