import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeType } from './observation.ts';
import { dayMs, minuteMs } from './schedule.ts';
import type { CreatedFeed, CreatedWebhook, Delivery, Watcher, Webhook } from './types.ts';

interface Row {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  readonly types: string;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number;
  readonly seq: number;
  readonly nextAttempt: number;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly lastProblem: string | null;
  readonly disabled: number;
  readonly createdAt: number;
}

/** What an update changes; absent members keep their values. */
export interface WebhookUpdate {
  readonly types?: readonly ChangeType[] | null | undefined;
  /** The id of a change after which it goes on, also if it was disabled. */
  readonly after?: string | null | undefined;
  readonly rotateSecret?: boolean | null | undefined;
}

const maxWebhooks = 10;
const maxFeeds = 10;
/** Longer than a request with its time limit. */
const claimMs = minuteMs;

/** The webhooks and feeds of accounts. A webhook's cursor is all its state of delivery. */
export class Webhooks {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #log: ChangeLog;

  constructor(database: SqlDatabase, clock: Clock, log: ChangeLog) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
  }

  async list({ id }: Watcher): Promise<readonly Webhook[]> {
    const rows = await this.#rows('account = $1 ORDER BY created_at, id', [id]);
    return Promise.all(rows.map((row) => this.#webhookOf(row)));
  }

  /**
   * Creates a webhook that gets the changes after `after`, by default those from now on. The URL must be
   * checked already. Rejects with `cursor_expired`, and `invalid_parameter` for too many.
   */
  async create(
    { id: account }: Watcher,
    url: string,
    types: readonly ChangeType[] = [],
    after?: string,
  ): Promise<CreatedWebhook> {
    const seq = after === undefined ? await this.#log.headSeq() : await this.#log.seqOf(after);
    const now = this.#clock.now();
    const [id, secret] = [`wh_${randomBytes(8).toString('hex')}`, newSecret()];
    await this.#insert(
      'webhooks',
      maxWebhooks,
      `(id, account, url, types, secret, old_secret_until, seq, next_attempt, attempts, disabled, created_at)
       VALUES ($1, $2, $3, $4, $5, 0, $6, 0, 0, 0, $7)`,
      [id, account, url, JSON.stringify(types), secret, seq, now],
    );
    return { ...(await this.#find(account, id)), secret };
  }

  /** Updates a webhook, which then is not disabled. Rejects with `not_found` and `cursor_expired`. */
  async update(
    { id: account }: Watcher,
    id: string,
    update: WebhookUpdate,
  ): Promise<CreatedWebhook> {
    const { types, after, rotateSecret } = update;
    const seq = after == null ? undefined : await this.#log.seqOf(after);
    const [row] = await this.#rows('account = $1 AND id = $2', [account, id]);
    if (!row) throw notFound();
    const secret = rotateSecret ? newSecret() : row.secret;
    const now = this.#clock.now();
    const starts =
      seq === undefined
        ? ''
        : `, seq = ${seq}, attempts = 0, next_attempt = 0, disabled = 0, failing_since = NULL, last_problem = NULL`;
    const rotates = rotateSecret ? `, old_secret = secret, old_secret_until = ${now + dayMs}` : '';
    await this.#database.query(
      `UPDATE webhooks SET types = $3, secret = $4${starts}${rotates} WHERE account = $1 AND id = $2`,
      [account, id, types ? JSON.stringify(types) : row.types, secret],
    );
    return { ...(await this.#find(account, id)), secret };
  }

  /** Rejects with `not_found`. */
  delete({ id: account }: Watcher, id: string): Promise<void> {
    return this.#delete('webhooks', account, id);
  }

  /** Returns a webhook with its secrets, for a test delivery. Rejects with `not_found`. */
  async withSecrets(
    { id: account }: Watcher,
    id: string,
  ): Promise<Omit<Delivery, 'change' | 'attempts'>> {
    const [row] = await this.#rows('account = $1 AND id = $2', [account, id]);
    if (!row) throw notFound();
    return { webhook: await this.#webhookOf(row), account, secrets: this.#secretsOf(row) };
  }

  /**
   * Claims webhooks that have a change to deliver, for a minute, each with the next change. Several
   * nodes never claim one at the same time.
   */
  async claim(limit: number): Promise<readonly Delivery[]> {
    const { query, dialect } = this.#database;
    const now = this.#clock.now();
    const head = await this.#log.headSeq();
    const rows = await query<Row>(
      `WITH due AS MATERIALIZED (SELECT id FROM webhooks WHERE disabled = 0 AND next_attempt <= $1 AND seq < $2
         ORDER BY next_attempt LIMIT $3 ${dialect.skipLocked})
       UPDATE webhooks SET next_attempt = $4 WHERE id IN (SELECT id FROM due) RETURNING ${columns}`,
      [now, head, limit, now + claimMs],
    );
    const deliveries = await Promise.all(rows.map((row) => this.#nextDelivery(row, head)));
    return deliveries.filter((delivery) => delivery !== undefined);
  }

  /** Records that a change was delivered. */
  async delivered({ webhook, change }: Delivery): Promise<void> {
    await this.#settle(
      webhook,
      `seq = $3, attempts = 0, next_attempt = 0, failing_since = NULL, last_problem = NULL`,
      [await this.#log.seqOf(change.id)],
    );
  }

  /** Records that an attempt failed: the next one is at a time (epoch ms), or there is none. */
  async failed(
    { webhook }: Delivery,
    problem: string,
    nextAttempt: number | undefined,
  ): Promise<void> {
    await this.#settle(
      webhook,
      `attempts = attempts + 1, next_attempt = $3, disabled = $4, failing_since = coalesce(failing_since, $5), last_problem = $6`,
      [nextAttempt ?? 0, nextAttempt === undefined ? 1 : 0, this.#clock.now(), problem],
    );
  }

  /** Creates a token for programs that cannot send headers. */
  async createFeed({ id: account }: Watcher): Promise<CreatedFeed> {
    const [id, token] = [`feed_${randomBytes(8).toString('hex')}`, randomBytes(20).toString('hex')];
    await this.#insert(
      'feeds',
      maxFeeds,
      '(id, account, token_hash, created_at) VALUES ($1, $2, $3, $4)',
      [id, account, hashOf(token), this.#clock.now()],
    );
    return { id, token };
  }

  /** Rejects with `not_found`. */
  deleteFeed({ id: account }: Watcher, id: string): Promise<void> {
    return this.#delete('feeds', account, id);
  }

  /** Returns the account of a feed by its token; undefined if there is none. */
  async accountOfFeed(token: string): Promise<string | undefined> {
    const [row] = await this.#database.query<{ account: string }>(
      'SELECT account FROM feeds WHERE token_hash = $1',
      [hashOf(token)],
    );
    return row?.account;
  }

  async #nextDelivery(row: Row, head: number): Promise<Delivery | undefined> {
    const types = JSON.parse(row.types) as ChangeType[];
    const { items } = await this.#log.read(row.account, row.seq, { types }, 1);
    const [change] = items;
    if (change)
      return {
        webhook: await this.#webhookOf(row),
        account: row.account,
        change,
        attempts: row.attempts,
        secrets: this.#secretsOf(row),
      };
    await this.#database.query(
      'UPDATE webhooks SET seq = $2, next_attempt = 0, attempts = 0 WHERE id = $1 AND seq = $3',
      [row.id, head, row.seq],
    );
    return undefined;
  }

  /** Does nothing if the webhook was set to another cursor during the attempt. */
  async #settle(
    { id, cursor }: Webhook,
    set: string,
    params: readonly (string | number)[],
  ): Promise<void> {
    await this.#database.query(`UPDATE webhooks SET ${set} WHERE id = $1 AND seq = $2`, [
      id,
      seqIn(cursor),
      ...params,
    ]);
  }

  async #find(account: string, id: string): Promise<Webhook> {
    const [row] = await this.#rows('account = $1 AND id = $2', [account, id]);
    if (!row) throw notFound();
    return this.#webhookOf(row);
  }

  #rows(condition: string, params: readonly string[]): Promise<readonly Row[]> {
    return this.#database.query<Row>(`SELECT ${columns} FROM webhooks WHERE ${condition}`, params);
  }

  /** Rejects with `invalid_parameter` if the account has as many as it may. */
  #insert(
    table: 'webhooks' | 'feeds',
    max: number,
    values: string,
    params: readonly (string | number)[],
  ) {
    return this.#database.transaction(async (query) => {
      await query(`INSERT INTO ${table} ${values}`, params);
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM ${table} WHERE account = $1`,
        [params[1] ?? ''],
      );
      if ((row?.count ?? 0) > max)
        throw new Problem('invalid_parameter', `An account has at most ${max} ${table}.`);
    });
  }

  async #delete(table: 'webhooks' | 'feeds', account: string, id: string): Promise<void> {
    const deleted = await this.#database.query(
      `DELETE FROM ${table} WHERE account = $1 AND id = $2 RETURNING id`,
      [account, id],
    );
    if (deleted.length === 0) throw notFound();
  }

  async #webhookOf(row: Row): Promise<Webhook> {
    const { id, url, failingSince, lastProblem, createdAt } = row;
    return {
      id,
      url,
      types: JSON.parse(row.types) as ChangeType[],
      cursor: await this.#log.cursorAt(row.seq),
      failingSince,
      lastProblem,
      isDisabled: row.disabled === 1,
      createdAt,
    };
  }

  #secretsOf({ secret, oldSecret, oldSecretUntil }: Row): readonly string[] {
    return oldSecret !== null && oldSecretUntil > this.#clock.now()
      ? [secret, oldSecret]
      : [secret];
  }
}

const columns = `id, account, url, types, secret, old_secret AS "oldSecret", old_secret_until AS "oldSecretUntil", seq,
  next_attempt AS "nextAttempt", attempts, failing_since AS "failingSince", last_problem AS "lastProblem", disabled,
  created_at AS "createdAt"`;

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function seqIn(cursor: string): number {
  return Number(cursor.slice(cursor.indexOf('-') + 1));
}

function notFound(): Problem {
  return new Problem('not_found', 'The account has nothing with this id.');
}
