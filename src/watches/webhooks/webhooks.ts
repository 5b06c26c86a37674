import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SqlDatabase, SqlParams } from '../../shared/sql-database.ts';
import type { ChangeLog } from '../change-log.ts';
import type { ChangeType } from '../observation.ts';
import { dayMs } from '../schedule.ts';
import type { CreatedWebhook, Watcher, Webhook } from '../types.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** A webhook as it is stored. */
export interface WebhookRow extends Omit<Webhook, 'types' | 'cursor' | 'isDisabled'> {
  readonly account: string;
  readonly types: string;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number;
  readonly seq: number;
  readonly claimedUntil: number;
  readonly attempts: number;
  readonly disabled: number;
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

/** The webhooks and feeds of accounts. A webhook's cursor is all its state of delivery. */
export class Webhooks {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #log: ChangeLog;
  readonly #sender: Pick<WebhookSender, 'check'>;

  constructor(
    database: SqlDatabase,
    clock: Clock,
    log: ChangeLog,
    sender: Pick<WebhookSender, 'check'>,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#sender = sender;
  }

  async list({ id }: Watcher): Promise<readonly Webhook[]> {
    const rows = await this.#rows('account = $1 ORDER BY created_at, id', [id]);
    return Promise.all(rows.map((row) => this.#webhookOf(row)));
  }

  /**
   * Creates a webhook that gets the changes after `after`, by default those from now on. Rejects
   * with `cursor_expired`, and `invalid_parameter` for too many or a URL that may not be reached.
   */
  async create(
    { id: account }: Watcher,
    url: string,
    types: readonly ChangeType[] = [],
    after?: string,
  ): Promise<CreatedWebhook> {
    const host = await this.#sender.check(url);
    const seq = after === undefined ? await this.#log.headSeq() : await this.#log.seqOf(after);
    const now = this.#clock.now();
    const [id, secret] = [`wh_${randomBytes(8).toString('hex')}`, newSecret()];

    await this.#insert(
      'webhooks',
      maxWebhooks,
      `(id, account, url, host, types, secret, old_secret_until, seq, next_attempt, claimed_until, attempts, disabled, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 0, 0, 0, 0, $8)`,
      [id, account, url, host, JSON.stringify(types), secret, seq, now],
    );
    this.#log.announce();

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
    if (!row) throw webhookNotFound();

    const secret = rotateSecret ? newSecret() : row.secret;
    const sent = types ? JSON.stringify(types) : row.types;
    const params: SqlParams[number][] = [account, id, sent, secret];
    const starts =
      seq === undefined
        ? ''
        : `, seq = $${params.push(seq)}, attempts = 0, next_attempt = 0, disabled = 0, failing_since = NULL, last_problem = NULL`;
    const rotates = rotateSecret
      ? `, old_secret = secret, old_secret_until = $${params.push(this.#clock.now() + dayMs)}`
      : '';

    await this.#database.query(
      `UPDATE webhooks SET types = $3, secret = $4${starts}${rotates} WHERE account = $1 AND id = $2`,
      params,
    );
    this.#log.announce();

    return { ...(await this.#find(account, id)), secret };
  }

  /** Rejects with `not_found`. */
  delete({ id: account }: Watcher, id: string): Promise<void> {
    return this.#delete('webhooks', account, id);
  }

  /**
   * Creates a token with which programs that cannot send headers read what an account watches. It is
   * returned only here: a hash of it is stored.
   */
  async createFeed({ id: account }: Watcher) {
    const [id, token] = [`feed_${randomBytes(8).toString('hex')}`, randomBytes(20).toString('hex')];
    await this.#insert(
      'feeds',
      maxFeeds,
      '(id, account, token_hash, created_at) VALUES ($1, $2, $3, $4)',
      [id, account, hashOf(token), this.#clock.now()],
    );

    return { id, token };
  }

  /** Returns the feeds of an account, without their tokens. */
  feeds({ id }: Watcher): Promise<readonly { readonly id: string; readonly createdAt: number }[]> {
    return this.#database.query(
      'SELECT id, created_at AS "createdAt" FROM feeds WHERE account = $1 ORDER BY created_at, id',
      [id],
    );
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

  async #find(account: string, id: string): Promise<Webhook> {
    const [row] = await this.#rows('account = $1 AND id = $2', [account, id]);
    if (!row) throw webhookNotFound();
    return this.#webhookOf(row);
  }

  #rows(condition: string, params: readonly string[]): Promise<readonly WebhookRow[]> {
    return this.#database.query<WebhookRow>(
      `SELECT ${webhookColumns} FROM webhooks WHERE ${condition}`,
      params,
    );
  }

  /** Rejects with `limit_reached` if the account has as many as it may. */
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
        throw new Problem('limit_reached', `An account has at most ${max} ${table}.`);
    });
  }

  async #delete(table: 'webhooks' | 'feeds', account: string, id: string): Promise<void> {
    const deleted = await this.#database.query(
      `DELETE FROM ${table} WHERE account = $1 AND id = $2 RETURNING id`,
      [account, id],
    );
    if (deleted.length === 0) throw webhookNotFound();
  }

  async #webhookOf(row: WebhookRow): Promise<Webhook> {
    return webhookOf(row, await this.#log.cursorAt(row.seq));
  }
}

/** Returns the webhook of a row and its cursor. */
export function webhookOf(row: WebhookRow, cursor: string): Webhook {
  const { id, url, failingSince, lastProblem, createdAt } = row;
  const types = JSON.parse(row.types) as ChangeType[];
  const isDisabled = row.disabled === 1;
  return { id, url, types, cursor, failingSince, lastProblem, isDisabled, createdAt };
}

/** The columns of `WebhookRow`. */
export const webhookColumns = `id, account, url, types, secret, old_secret AS "oldSecret", old_secret_until AS "oldSecretUntil", seq,
  claimed_until AS "claimedUntil", attempts, failing_since AS "failingSince", last_problem AS "lastProblem", disabled,
  created_at AS "createdAt"`;

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The problem of an id that the account does not have. */
export function webhookNotFound(): Problem {
  return new Problem('not_found', 'The account has nothing with this id.');
}
