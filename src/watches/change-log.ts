import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { SqlDatabase, SqlQuery } from '../shared/sql-database.ts';
import type { ChangeType, Difference } from './observation.ts';
import { dayMs } from './schedule.ts';
import type { Change, ChangeFilter, ListPage } from './types.ts';

/** A cursor of another log, or older than the changes that are kept. */
export class CursorExpiredError extends Problem {
  /** The oldest cursor that is valid: that before all changes that are kept. */
  readonly oldest: string;

  constructor(oldest: string, param: string) {
    const detail = `The cursor in "${param}" is of another log, or changes after it are no longer kept. The oldest valid one is ${oldest}.`;
    super('cursor_expired', detail, { param, oldestCursor: oldest });
    this.oldest = oldest;
  }
}

interface ChangeListener {
  readonly appended: (type: ChangeType) => void;
  /** Called when there may be something new for readers of this process. */
  readonly announced: () => void;
}

interface Row {
  readonly seq: number;
  readonly log: string;
  readonly name: string;
  readonly type: ChangeType;
  readonly notBefore: number;
  readonly seenAt: number;
  readonly before: string;
  readonly after: string;
  readonly evidence: string;
}

/**
 * The log of all changes, in the order in which they become visible. A change's id is the name of a log
 * and a number. Each start of a gateway begins a new log that continues the numbers: a backup that is
 * restored does not use an id again.
 */
export class ChangeLog {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  #wake = Promise.withResolvers<void>();
  #followers = 0;
  #head = -1;
  #cancelPoll: (() => void) | undefined;

  readonly #listener: ChangeListener;

  constructor(database: SqlDatabase, clock: Clock, listener: ChangeListener) {
    this.#database = database;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Begins a new log. */
  async open(): Promise<void> {
    const id = randomBytes(5).toString('hex');
    await this.#database.transaction(async (query) => {
      // Logs whose changes are no longer kept are forgotten.
      await query(`DELETE FROM change_logs WHERE EXISTS (
        SELECT 1 FROM change_logs AS next WHERE next.opened > change_logs.opened
        AND next.first_seq < (SELECT min(seq) FROM changes))`);
      await query(
        `INSERT INTO change_logs (id, first_seq, opened) VALUES ($1, 1 + ${lastSeq},
         (SELECT coalesce(max(opened), 0) + 1 FROM change_logs))`,
        [id],
      );
    });
  }

  /** Appends differences. `query` must be that of a transaction; call `announce` after it. */
  async append(query: SqlQuery, name: string, differences: readonly Difference[]): Promise<void> {
    for (const { type, notBefore, seenAt, before, after, evidence } of differences) {
      await query(
        `INSERT INTO changes (seq, log, name, type, not_before, seen_at, before, after, evidence)
         VALUES (1 + ${lastSeq}, (SELECT id FROM change_logs ORDER BY opened DESC LIMIT 1),
         $1, $2, $3, $4, $5, $6, $7)`,
        [
          name,
          type,
          notBefore,
          seenAt,
          ...[before, after, evidence].map((each) => JSON.stringify(each)),
        ],
      );
      this.#listener.appended(type);
    }
  }

  /** Wakes the followers. */
  announce(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
    this.#listener.announced();
  }

  /** Returns the number of the last change, in a transaction or outside. */
  async headSeq(query: SqlQuery = this.#database.query): Promise<number> {
    const [row] = await query<{ seq: number }>(`SELECT ${lastSeq} AS seq`);
    return row?.seq ?? 0;
  }

  /** Returns the cursor after the change with a number. */
  async cursorAt(seq: number): Promise<string> {
    const [row] = await this.#database.query<{ id: string }>(
      `SELECT id FROM change_logs WHERE first_seq <= $1 + 1 ORDER BY opened DESC LIMIT 1`,
      [seq],
    );
    return `${row?.id ?? ''}-${seq}`;
  }

  /** Returns the number in a cursor, which `param` has. Rejects with `CursorExpiredError`. */
  async seqOf(cursor: string, param = 'after'): Promise<number> {
    const [, id = '', digits = ''] = /^([0-9a-f]{10})-(\d{1,15})$/.exec(cursor) ?? [];
    const [row] = await this.#database.query<{ first: number; last: number; oldest: number }>(
      `SELECT first_seq AS first, (SELECT coalesce(min(seq), 1) FROM changes) AS oldest,
         coalesce((SELECT min(next.first_seq) - 1 FROM change_logs AS next
                   WHERE next.opened > change_logs.opened), ${lastSeq}) AS last
       FROM change_logs WHERE id = $1`,
      [id],
    );
    const seq = Number(digits);
    if (row && seq >= Math.max(row.first, row.oldest) - 1 && seq <= row.last) return seq;

    throw new CursorExpiredError(await this.oldest(), param);
  }

  /** Returns the cursor before all changes that are kept. */
  async oldest(): Promise<string> {
    const [row] = await this.#database.query<{ oldest: number }>(
      'SELECT coalesce(min(seq), 1) AS oldest FROM changes',
    );
    return this.cursorAt((row?.oldest ?? 1) - 1);
  }

  /** Returns changes of the names that an account watches, after the number of a change. */
  async read(
    account: string,
    seq: number,
    { domain, types = [], isLatest = false }: ChangeFilter,
    limit: number,
  ): Promise<ListPage<Change & { readonly seq: number }>> {
    const { query, dialect } = this.#database;
    const rows = await query<Row>(
      `SELECT seq, log, changes.name, type, not_before AS "notBefore", seen_at AS "seenAt", before, after, evidence
       FROM changes JOIN watches ON watches.name = changes.name AND account = $1 AND ended = 0
       WHERE seq > since_seq AND seq > $2 AND ($3 = '' OR changes.name = $3)
       AND ($4 = '[]' OR type IN (SELECT value FROM ${dialect.each('$4')}))
       ORDER BY seq ${isLatest ? 'DESC' : 'ASC'} LIMIT $5`,
      [account, seq, domain ?? '', JSON.stringify(types), limit + 1],
    );
    const items = rows.slice(0, limit).map(changeOf);

    return { items: isLatest ? items.toReversed() : items, hasNext: rows.length > limit };
  }

  /** Resolves when there may be a later change than `seq`, of this process or of another one. */
  async changed(seq: number, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const end = () => ended.resolve();
    signal.addEventListener('abort', end, { once: true });
    this.#followers += 1;
    this.#cancelPoll ??= this.#clock.after(pollMs, () => void this.#poll());
    if (!signal.aborted && this.#head <= seq)
      await Promise.race([this.#wake.promise, ended.promise]);
    this.#followers -= 1;
    signal.removeEventListener('abort', end);
  }

  /** Deletes the changes of more than `days` ago, except the last one, whose number is continued. */
  async deleteOld(days: number): Promise<void> {
    const kept = `(SELECT min(seq) FROM changes WHERE seen_at >= $1)`;
    await this.#database.query(`DELETE FROM changes WHERE seq < coalesce(${kept}, ${lastSeq})`, [
      this.#clock.now() - days * dayMs,
    ]);
  }

  stop(): void {
    this.#cancelPoll?.();
    this.announce();
  }

  async #poll(): Promise<void> {
    const head = await this.headSeq().catch(() => this.#head);
    if (head > this.#head) this.announce();
    this.#head = head;
    this.#cancelPoll =
      this.#followers > 0 ? this.#clock.after(pollMs, () => void this.#poll()) : undefined;
  }
}

const lastSeq = '(SELECT coalesce(max(seq), 0) FROM changes)';
/** How late a change of another node is seen. */
const pollMs = 1000;

function changeOf({ log, name, before, after, evidence, ...row }: Row): Change & Pick<Row, 'seq'> {
  return {
    ...row,
    id: `${log}-${row.seq}`,
    domain: name,
    before: JSON.parse(before) as Change['before'],
    after: JSON.parse(after) as Change['after'],
    evidence: JSON.parse(evidence) as Change['evidence'],
  };
}
