import type { Clock } from '../clock.ts';
import { dailyQuota } from './daily-quota.ts';
import { tokenBucket } from './token-bucket.ts';

export interface LaneLimits {
  /** Requests a second in the long run; 0 = as many as there are. */
  readonly rate: number;
  /** Requests at once after a pause. */
  readonly burst: number;
  /** Requests in flight, at most. */
  readonly concurrency: number;
  /** Requests in any day; absent = as many as there are. */
  readonly perDay?: number | undefined;
}

/** Leave to send requests to one host. */
export interface Allowance {
  /** Takes leave for one request, if there is any now. */
  take(): boolean;
  /** So many more would be sent now if there were leave for them; with 0, leave that was granted and not taken goes back. */
  want(requests: number): void;
  /** When there will be leave for so many more, in milliseconds since the epoch, as far as is known. */
  readyAt(requests: number): number;
  /** When to try again after `take` said no, in milliseconds since the epoch; Infinity where the lane will be told. */
  readonly nextAt: number;
  /** A request that had leave has come to its end. */
  end(): void;
  /** The host wants to be left alone until then. */
  close(until: number): void;
  /** Nothing of it is spent: a new one would allow no more. */
  readonly whole: boolean;
  /** It is not used any more. */
  forget(): void;
}

/** What one process allows itself, where nobody else asks the host. Requests in flight are the lane's own to count. */
export function ownAllowance(limits: LaneLimits, clock: Clock): Allowance {
  const bucket = tokenBucket(limits, clock);
  const day = dailyQuota(limits.perDay, clock);
  const readyAt = (requests: number) => Math.max(bucket.readyAt(requests), day.readyAt(requests));
  return {
    take() {
      if (day.readyAt(1) > clock.now() || !bucket.take()) return false;
      day.take();
      return true;
    },
    readyAt,
    get nextAt() {
      return readyAt(1);
    },
    want() {},
    end() {},
    close() {},
    get whole() {
      return Math.max(bucket.readyAt(limits.burst), day.readyAt(limits.perDay ?? 0)) <= clock.now();
    },
    forget() {},
  };
}
