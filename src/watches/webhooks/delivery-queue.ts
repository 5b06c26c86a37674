import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SqlDatabase } from '../../shared/sql-database.ts';
import type { ChangeLog } from '../change-log.ts';
import { dayMs, minuteMs } from '../schedule.ts';
import type { Claim, Delivery, Watcher, Webhook } from '../types.ts';
import { webhookColumns, webhookNotFound, webhookOf, type WebhookRow } from './webhooks.ts';

/** Longer than a request with its time limit. */
const claimMs = minuteMs;
/** Requests in flight for one account. */
const maxPerAccount = 4;

/**
 * Returns the condition that a time is at most now ($1), or later than any that is planned: then it was
 * stored while the clock was ahead.
 */
function isPast(column: string): string {
  return `(${column} <= $1 OR ${column} > $1 + ${2 * dayMs})`;
}

/**
 * The changes that are due at webhooks. What is claimed is claimed by one process only: at most one
 * webhook of a host, on all nodes together.
 */
export class DeliveryQueue {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #log: ChangeLog;

  constructor(database: SqlDatabase, clock: Clock, log: ChangeLog) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
  }

  /** Claims webhooks that have a change to deliver, for a minute, each with the next change. */
  async claim(limit: number): Promise<readonly Delivery[]> {
    const deliveries: Delivery[] = [];
    let claimed: readonly WebhookRow[];
    do {
      const head = await this.#log.headSeq();
      claimed = await this.#claimRows(head, limit - deliveries.length);
      for (const row of claimed) {
        const delivery = await this.#nextDelivery(row, head);
        if (delivery) deliveries.push(delivery);
      }
    } while (claimed.length > 0 && deliveries.length < limit);

    return deliveries;
  }

  /**
   * Claims a webhook of an account, whatever is due. Rejects with `not_found`, and `rate_limited` while
   * a request to its host is in flight.
   */
  async claimOne({ id: account }: Watcher, id: string): Promise<Claim> {
    const until = this.#clock.now() + claimMs;
    const row = await this.#database.transaction(async (query) => {
      const [found] = await query<WebhookRow & { readonly host: string }>(
        `SELECT host, ${webhookColumns} FROM webhooks WHERE account = $1 AND id = $2`,
        [account, id],
      );
      if (!found) throw webhookNotFound();

      const [busy] = await query(
        `SELECT id FROM webhooks WHERE host = $2 AND NOT ${isPast('claimed_until')}`,
        [this.#clock.now(), found.host],
      );
      if (busy) {
        const detail = `A request to ${found.host} is in flight. Try again when it has ended.`;
        throw new Problem('rate_limited', detail, { retryAfter: 15 });
      }

      await query('UPDATE webhooks SET claimed_until = $2 WHERE id = $1', [id, until]);
      return found;
    });

    return this.#claimOf(row, until);
  }

  /** Records that a change was delivered. */
  async delivered(delivery: Delivery): Promise<void> {
    await this.#settle(
      delivery,
      `seq = $4, attempts = 0, next_attempt = 0, failing_since = NULL, last_problem = NULL`,
      [await this.#log.seqOf(delivery.change.id)],
    );
  }

  /** Records that an attempt failed: the next one is at a time (epoch ms), or there is none. */
  failed(delivery: Delivery, problem: string, nextAttempt: number | undefined): Promise<void> {
    return this.#settle(
      delivery,
      `attempts = attempts + 1, next_attempt = $4, disabled = $5, failing_since = coalesce(failing_since, $6), last_problem = $7`,
      [nextAttempt ?? 0, nextAttempt === undefined ? 1 : 0, this.#clock.now(), problem],
    );
  }

  /** Ends a claim without a result. */
  async release({ webhook, claimedUntil }: Claim): Promise<void> {
    await this.#database.query(
      'UPDATE webhooks SET claimed_until = 0 WHERE id = $1 AND claimed_until = $2',
      [webhook.id, claimedUntil],
    );
  }

  /** Returns when a failed delivery is due again, in epoch ms; Infinity if there is none. */
  async nextAttempt(): Promise<number> {
    const [row] = await this.#database.query<{ at: number | null }>(
      'SELECT min(next_attempt) AS at FROM webhooks WHERE disabled = 0 AND next_attempt > $1',
      [this.#clock.now()],
    );
    return row?.at ?? Infinity;
  }

  /**
   * Claims at most one webhook of each host, and few of an account. Chance decides whose turn it is at a
   * host, which accounts may share: the backlog of one, which it can repeat, must not hold up the others.
   */
  async #claimRows(head: number, limit: number): Promise<readonly WebhookRow[]> {
    const now = this.#clock.now();
    const isDue = `disabled = 0 AND ${isPast('next_attempt')} AND ${isPast('claimed_until')} AND seq < $2`;
    const { query } = this.#database;
    const [due] = await query(`SELECT id FROM webhooks WHERE ${isDue} LIMIT 1`, [now, head]);
    if (!due) return [];

    // One claim at a time sees the hosts of the ones before.
    return this.#database.transaction((inTurn) =>
      inTurn<WebhookRow>(
        `WITH busy AS (SELECT host, account FROM webhooks WHERE NOT ${isPast('claimed_until')}),
         due AS (SELECT id, account, next_attempt,
             row_number() OVER (PARTITION BY host ORDER BY random()) AS turn
           FROM webhooks WHERE ${isDue} AND host NOT IN (SELECT host FROM busy)),
         fair AS (SELECT id, next_attempt,
             row_number() OVER (PARTITION BY account ORDER BY next_attempt, id)
             + (SELECT count(*) FROM busy WHERE busy.account = due.account) AS place
           FROM due WHERE turn = 1)
         UPDATE webhooks SET claimed_until = $3 WHERE id IN (
           SELECT id FROM fair WHERE place <= ${maxPerAccount} ORDER BY place, next_attempt LIMIT $4)
         RETURNING ${webhookColumns}`,
        [now, head, now + claimMs, limit],
      ),
    );
  }

  async #nextDelivery(row: WebhookRow, head: number): Promise<Delivery | undefined> {
    const claim = await this.#claimOf(row, row.claimedUntil);
    const { types } = claim.webhook;
    const { items } = await this.#log.read(row.account, row.seq, { types }, 1);
    const [change] = items;
    if (change) return { ...claim, change, attempts: row.attempts };

    await this.#settle(claim, 'seq = $4, next_attempt = 0, attempts = 0', [head]);
    return undefined;
  }

  async #claimOf(row: WebhookRow, claimedUntil: number): Promise<Claim> {
    const { account, secret, oldSecret, oldSecretUntil, seq } = row;
    const isRotating = oldSecret !== null && oldSecretUntil > this.#clock.now();

    return {
      webhook: webhookOf(row, await this.#log.cursorAt(seq)),
      account,
      secrets: isRotating ? [secret, oldSecret] : [secret],
      claimedUntil,
    };
  }

  /** Ends a claim. Nothing else is recorded if the webhook was set to another cursor meanwhile. */
  async #settle(claim: Claim, set: string, params: readonly (string | number)[]): Promise<void> {
    const settled = await this.#database.query(
      `UPDATE webhooks SET claimed_until = 0, ${set} WHERE id = $1 AND claimed_until = $2 AND seq = $3 RETURNING id`,
      [claim.webhook.id, claim.claimedUntil, seqIn(claim.webhook), ...params],
    );
    if (settled.length === 0) await this.release(claim);
  }
}

function seqIn({ cursor }: Webhook): number {
  return Number(cursor.slice(cursor.indexOf('-') + 1));
}
