import type { IdempotencyKeys } from '../../accounts/idempotency.ts';
import type { Resumption } from '../resumption.ts';

/** How long the rows of a stream that starts again are not charged again. */
const lifetimeMs = 10 * 60 * 1000;

/**
 * What an account has paid for a stream in the last ten minutes: clients that lose their connection
 * start the whole operation again. Streams may run concurrently, in several processes.
 */
export interface PaidStream {
  /** What had been paid when this stream started. */
  readonly credits: number;
  /** Names that are queried again are charged again, because the client demands newer answers. */
  readonly chargesQueries: boolean;
  /** Records that the stream has started. */
  bind(): Promise<unknown>;
  /**
   * Returns what is due for the rows of this stream, and records it as paid. `price` is for
   * its rows, and `whole` also for the rows that its client had before.
   */
  settle(price: number, whole: number): Promise<number>;
}

/** Reads what an account has paid for a stream. Throws `unavailable`. */
export async function openPaidStream(
  keys: IdempotencyKeys,
  caller: string,
  { stream, field }: Resumption,
  now: number,
): Promise<PaidStream> {
  const period = Math.floor(now / lifetimeMs);
  const useIn = (each: number) => ({ caller, key: `stream ${stream} ${each}`, fingerprint: '' });
  const [before, current] = [useIn(period - 1), useIn(period)];
  const [earlier, latest] = await Promise.all([
    keys.idempotencyStatus(before),
    keys.idempotencyStatus(current),
  ]);
  const isLive = earlier.since !== undefined && earlier.since > now - lifetimeMs;
  const [use, { charged: credits }] = isLive ? [before, earlier] : [current, latest];

  return {
    credits,
    chargesQueries: field.maxAge !== undefined,
    bind: () => keys.bindIdempotencyKey(use),
    async settle(price, whole) {
      let paid = 0;
      for (;;) {
        const { charged } = await keys.idempotencyStatus(use);
        const due = Math.min(price - paid, whole - charged);
        if (due <= 0) return paid;
        // Less than `due` if another stream was settled meanwhile.
        paid += await keys.addIdempotentCharge(use, charged + due);
      }
    },
  };
}
