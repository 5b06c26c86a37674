import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StoredAnswer } from '../domain/answer.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { Log } from '../log.ts';
import type { AnswerStore, StoredDetail } from '../registries/cache/store.ts';
import { createParserErrorLogger, type OnParserError } from '../registries/rdap/rdap-exchange.ts';
import { singleRow, type SqlParams } from '../shared/sql-database.ts';
import { WriteBuffer, type RowTable } from './write-buffer.ts';

/** The tables of answers and of notes, which are the values of the key-value store. */
export interface AnswerTables extends RowTable {
  /**
   * Deletes some answers older than `before` (epoch ms), or their records. Returns false if none is
   * left or another node is deleting them.
   */
  deleteOld(what: 'answers' | 'records', before: number): Promise<boolean> | boolean;
  /** Runs one statement. */
  query(sql: string, params: SqlParams): Promise<readonly unknown[]> | readonly unknown[];
  close?(): void;
}

/** What answer stores in a database have in common: unwritten answers, deletions and notes. */
export abstract class SqlAnswers implements AnswerStore {
  readonly hits = { memory: 0, store: 0 };
  protected readonly unwritten: WriteBuffer;
  protected readonly onParserError: OnParserError;
  protected isClosing = false;
  readonly #tables: AnswerTables;

  /** Writes are delayed by `delayMs`. */
  constructor(tables: AnswerTables, delayMs: number, log: Log) {
    this.#tables = tables;
    this.onParserError = createParserErrorLogger(log);
    this.unwritten = new WriteBuffer(tables, delayMs, log);
  }

  abstract getAnswers(
    names: readonly string[],
    detail: StoredDetail,
  ): Promise<Map<string, StoredAnswer>>;

  abstract putAnswer(answer: StoredAnswer, previous?: Verdict | null): Promise<void>;

  async read(prefix: string): Promise<Map<string, string>> {
    const rows = await this.#query(
      'SELECT key, note FROM notes WHERE substr(key, 1, length($1)) = $1',
      [prefix],
    );
    return new Map(rows.map(({ key, note }) => [key, note]));
  }

  async put(key: string, value: string): Promise<void> {
    await this.#query(
      'INSERT INTO notes (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = excluded.note',
      [key, value],
    );
  }

  async putIfAbsent(key: string, value: string): Promise<string> {
    // The update changes nothing: RETURNING returns only rows that were written. It also sees a
    // concurrent write of another node.
    const rows = await this.#query(
      'INSERT INTO notes (key, note) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET note = notes.note RETURNING key, note',
      [key, value],
    );
    return singleRow(rows).note;
  }

  async deleteIf(key: string, value: string): Promise<void> {
    await this.#query('DELETE FROM notes WHERE key = $1 AND note = $2', [key, value]);
  }

  async deleteUndated(after: number, future: number): Promise<void> {
    await this.#query(
      "DELETE FROM answers WHERE verdict = 'AVAILABLE' AND checked_at > $1 AND EXISTS (SELECT 1 FROM answers WHERE checked_at > $2)",
      [after, future],
    );
  }

  async deleteExpired(answersBefore: number, recordsBefore: number): Promise<void> {
    await this.unwritten.flush();
    await this.#deleteAll('answers', answersBefore);
    await this.#deleteAll('records', recordsBefore);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.unwritten.close();
    this.#tables.close?.();
  }

  /** Deletes in batches, and yields to other requests in between. */
  async #deleteAll(what: 'answers' | 'records', before: number): Promise<void> {
    while (!this.isClosing && (await this.#tables.deleteOld(what, before)))
      await yieldToEventLoop();
  }

  async #query(sql: string, params: SqlParams): Promise<readonly Note[]> {
    return (await this.#tables.query(sql, params)) as readonly Note[];
  }
}

interface Note {
  readonly key: string;
  readonly note: string;
}
