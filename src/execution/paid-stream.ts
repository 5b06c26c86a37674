import type { IdempotencyKeys, IdempotencyKeyUse } from '../accounts/idempotency.ts';
import type { Resumption } from './resumption.ts';

/** How long the rows of a stream that starts again are not charged again. */
const lifetimeMs = 10 * 60 * 1000;

/**
 * What an account has paid for a stream in the last ten minutes: clients that lose their connection
 * start the whole operation again. Streams may run concurrently, in several processes.
 */
export class PaidStream {
  readonly #keys: IdempotencyKeys;
  readonly #use: IdempotencyKeyUse;
  /** What had been paid when this stream started. */
  readonly credits: number;
  /** Names that are queried again are charged again, because the client demands newer answers. */
  readonly chargesQueries: boolean;

  private constructor(
    keys: IdempotencyKeys,
    use: IdempotencyKeyUse,
    credits: number,
    chargesQueries: boolean,
  ) {
    this.#keys = keys;
    this.#use = use;
    this.credits = credits;
    this.chargesQueries = chargesQueries;
  }

  /** Reads what an account has paid for a stream. Throws `unavailable`. */
  static async open(
    keys: IdempotencyKeys,
    caller: string,
    { stream, field }: Resumption,
    now: number,
  ): Promise<PaidStream> {
    const period = Math.floor(now / lifetimeMs);
    const [before, current] = [period - 1, period].map((each) => ({
      caller,
      key: `stream ${stream} ${each}`,
      fingerprint: '',
    })) as [IdempotencyKeyUse, IdempotencyKeyUse];
    const [earlier, latest] = await Promise.all([
      keys.idempotencyStatus(before),
      keys.idempotencyStatus(current),
    ]);
    const isLive = earlier.since !== undefined && earlier.since > now - lifetimeMs;
    const [use, { charged }] = isLive ? [before, earlier] : [current, latest];

    return new PaidStream(keys, use, charged, field.maxAge !== undefined);
  }

  /** Records that the stream has started. */
  async bind(): Promise<void> {
    await this.#keys.bindIdempotencyKey(this.#use);
  }

  /**
   * Returns what is due for the rows of this stream, and records it as paid. `price`: that of its rows;
   * `whole`: that of its rows and those that its client had before.
   */
  async settle(price: number, whole: number): Promise<number> {
    let paid = 0;
    for (;;) {
      const { charged } = await this.#keys.idempotencyStatus(this.#use);
      const due = Math.min(price - paid, whole - charged);
      if (due <= 0) return paid;
      // Less than `due` if another stream was settled meanwhile.
      paid += await this.#keys.addIdempotentCharge(this.#use, charged + due);
    }
  }
}
