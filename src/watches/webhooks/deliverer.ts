import { createHmac, randomBytes } from 'node:crypto';
import { withTimeLimit, type Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { Log } from '../../log.ts';
import { factsBody } from '../bodies.ts';
import { PollingWorker } from '../polling/polling-worker.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { changeTypes, type ChangeType } from '../observation.ts';
import { hourMs, minuteMs } from '../schedule.ts';
import type { Change, Delivery, Watcher } from '../types.ts';
import type { SendResult, WebhookSender } from './webhook-sender.ts';

/** What an attempt ends with: the webhook is `disabled` after the last one. */
export const deliveryResults = ['delivered', 'failed', 'disabled'] as const;

export interface DelivererOptions {
  readonly queue: DeliveryQueue;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly instruments: {
    readonly webhookDelivery: (result: (typeof deliveryResults)[number]) => void;
  };
}

/** The pauses after failed attempts at a change: 71.6 hours in all. Then the webhook is disabled. */
const retryDelaysMs = [
  5000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 20].map((hours) => hours * hourMs),
];
const maxInFlight = 32;
/** How long a stopping gateway waits for responses. */
const stopMs = 5000;
const maxBodyBytes = 2047;

const failures = {
  ofClaim: 'Webhooks could not be read. Retrying in 10 s.',
  ofItem: 'A delivery was not recorded. It is repeated.',
};

/** Delivers changes to webhooks as signed requests (Standard Webhooks 1.0), in order for each. */
export class Deliverer extends PollingWorker<Delivery> {
  readonly #options: DelivererOptions;
  readonly #aborting = new AbortController();
  #isStarted = false;

  constructor(options: DelivererOptions) {
    // The next change of the same webhook is due after the one before it.
    super({ ...options, maxInFlight, hasSuccessors: true, failures });
    this.#options = options;
  }

  /** Delivers what is due now, and from now on whatever becomes due. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  override wake(): void {
    if (this.#isStarted) super.wake();
  }

  /** Waits for the requests in flight, then aborts them: another node repeats them. */
  override async stop(): Promise<void> {
    const stopped = super.stop();
    await withTimeLimit(stopped, { clock: this.#options.clock, ms: stopMs });
    this.#aborting.abort();
    await stopped;
  }

  /**
   * Sends an example of a change, without a `change_id`, to a webhook of an account, also if it is
   * disabled. Rejects with `not_found`, and `rate_limited` while a request to its host is in flight.
   */
  async deliverTest(watcher: Watcher, id: string): Promise<SendResult> {
    const { queue, clock } = this.#options;
    // Deliveries come first: tests could occupy a host that others share.
    await this.claimDue();
    const claim = await queue.claimOne(watcher, id);
    const { types } = claim.webhook;
    const now = clock.now();
    const example = { notBefore: now, seenAt: now, before: {}, after: {}, evidence: null };
    const change = { domain: 'example.test', type: types[0] ?? changeTypes[0], ...example };
    try {
      const messageId = `msg_test_${randomBytes(8).toString('hex')}`;
      return await this.#send(claim, messageId, bodyOf(change));
    } catch (cause) {
      throw new Problem('unavailable', 'The gateway is stopping.', { cause });
    } finally {
      await queue.release(claim);
    }
  }

  protected claim(limit: number): Promise<readonly Delivery[]> {
    return this.#options.queue.claim(limit);
  }

  protected override async untilDueMs(): Promise<number> {
    const { queue, clock } = this.#options;
    return (await queue.nextAttempt()) - clock.now();
  }

  protected async process(delivery: Delivery): Promise<void> {
    const { queue, clock, instruments } = this.#options;
    const { webhook, change, attempts } = delivery;
    const result = await this.#send(delivery, `msg_${change.id}_${webhook.id}`, bodyOf(change))
      // It was aborted, and is due at once for another node.
      .catch(() => undefined);
    if (!result) return queue.release(delivery);

    const { status, problem } = result;
    if (problem === null) {
      instruments.webhookDelivery('delivered');
      return queue.delivered(delivery);
    }

    const delayMs = status === 410 ? undefined : retryDelaysMs[attempts];
    instruments.webhookDelivery(delayMs === undefined ? 'disabled' : 'failed');
    if (delayMs !== undefined) return queue.failed(delivery, problem, clock.now() + delayMs);

    const reason = status === 410 ? 'it is gone' : `${attempts + 1} attempts have failed`;
    return queue.failed(delivery, `${problem} The webhook is disabled: ${reason}.`, undefined);
  }

  #send(
    { webhook, secrets }: Pick<Delivery, 'webhook' | 'secrets'>,
    messageId: string,
    body: string,
  ): Promise<SendResult> {
    const { sender, clock } = this.#options;
    const timestamp = Math.floor(clock.now() / 1000);
    const signed = `${messageId}.${timestamp}.${body}`;
    const headers = {
      'webhook-id': messageId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, signed)}`).join(' '),
    };

    return sender.send(webhook.url, headers, body, this.#aborting.signal);
  }
}

function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Returns a body of less than 2 KB. What differs is left out if it is longer: it can be read by the id. */
function bodyOf(change: Omit<Change, 'id'> & { readonly id?: string }): string {
  const { id, type, domain, notBefore, seenAt, before, after } = change;
  const withData = (data: object) =>
    JSON.stringify({
      type: eventOf(type),
      timestamp: new Date(seenAt).toISOString(),
      data: { domain, change_id: id, not_before: new Date(notBefore).toISOString(), ...data },
    });

  const body = withData({ before: factsBody(before), after: factsBody(after) });
  return Buffer.byteLength(body) > maxBodyBytes ? withData({ before: null, after: null }) : body;
}

/** Returns the type of an event, such as `domain.without_verdict`. */
export function eventOf(type: ChangeType): string {
  return `domain.${type.toLowerCase()}`;
}
