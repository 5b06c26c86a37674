import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaces } from '../../cache/store.ts';
import { systemClock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { charactersOf } from '../memory/recent-rows.ts';
import type { Row } from '../row.ts';
import type { AnswerRows } from './answer-rows.ts';
import { DatabaseAway } from './database-away.ts';

/** Answers on their way into the database. */
export interface UnwrittenRows {
  get(name: DomainName): Row | undefined;
  /**
   * Resolves when the row is written, or as soon as the database turns out to be away: then it is written later. Rejects when the database
   * refuses a row; what is kept of its name is then forgotten, as it is not true any more.
   */
  add(row: Row): Promise<void>;
  /** Settles when nothing is being written. */
  idle(): Promise<void>;
  /** Writes what was added; what the database does not take now is lost. Never rejects. */
  close(): Promise<void>;
}

/** Rows that wait for the database to come back, the newest: how many, and characters of their JSON. */
const mostWaiting = { rows: 1000, characters: 30_000_000 };
const tryAgainMs = 250;

/** Rows of one statement, and their JSON: some 10 ms. */
const writtenAtOnce = { rows: 100, characters: 300_000 };

/** Writes all that is added in one turn of the event loop, or while a statement is under way, at once. */
export function unwrittenRows(table: Pick<AnswerRows, 'write' | 'forgetOlder'>, log: Log): UnwrittenRows {
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
        return writeAll(portions(Array.from(waiting.values())));
      });
    last = next;
    return next;
  }

  async function writeAll(groups: readonly (readonly Row[])[]): Promise<void> {
    const failures: unknown[] = [];
    for (const some of groups) {
      try {
        await table.write(some);
        forget(some);
      } catch (error) {
        if (error instanceof DatabaseAway) {
          writeLater();
          break;
        }
        await writeApart(some, error).catch((refusal: unknown) => failures.push(refusal));
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** A row that the database refuses takes none of the others with it, and what it was to replace is not true any more. */
  async function writeApart(refused: readonly Row[], error: unknown): Promise<void> {
    if (refused.length > 1) return writeAll(refused.map((row) => [row]));
    try {
      for (const row of refused) await table.forgetOlder(row);
    } catch (failure) {
      // Until it is forgotten, the row hides what it was to replace.
      if (failure instanceof DatabaseAway) return writeLater();
    }
    forget(refused);
    throw error;
  }

  function forget(rows: readonly Row[]): void {
    for (const row of rows) if (waiting.get(row.name) === row) waiting.delete(row.name);
  }

  function writeLater(): void {
    forgetOldest();
    if (!closed) cancelRetry ??= systemClock.after(tryAgainMs, () => void writeForNobody());
  }

  function forgetOldest(): void {
    let characters = 0;
    for (const [index, row] of Array.from(waiting.values()).toReversed().entries()) {
      characters += charactersOf(row);
      if (index >= mostWaiting.rows || characters > mostWaiting.characters) waiting.delete(row.name);
    }
  }

  async function writeForNobody(): Promise<void> {
    cancelRetry = undefined;
    await writeNext().catch((error: unknown) => log.error({ err: error }, 'answers could not be stored'));
  }

  // Whoever added a row hears of a failure.
  const idle = () => last.catch(() => undefined);

  return {
    get: (name) => waiting.get(name),
    add(row) {
      if (replaces(row, waiting.get(row.name))) waiting.set(row.name, row);
      return writeNext();
    },
    idle,
    async close() {
      closed = true;
      cancelRetry?.();
      await (waiting.size > 0 ? writeForNobody() : idle());
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
