import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { AccountStore } from './store.ts';

/**
 * Extends the reservations of this process so that they do not expire while work goes on, and refunds those that expired, of any process: now
 * and every 15 seconds. So what a killed process had reserved is refunded within 75 seconds.
 */
export class ReservationMaintenance {
  readonly #store: Pick<AccountStore, 'extendReservations' | 'refundExpired'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #cancelTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(
    store: Pick<AccountStore, 'extendReservations' | 'refundExpired'>,
    clock: Clock,
    log: Log,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  async #run(): Promise<void> {
    try {
      await this.#store.extendReservations();
      const reservations = await this.#store.refundExpired();
      if (reservations > 0)
        this.#log.warn({ reservations }, 'refunded reservations that were not settled in time');
    } catch (error) {
      if (!this.#isStopped)
        this.#log.warn(
          { err: error },
          'reservations could not be extended or refunded; trying again in 15 s',
        );
    }
    if (!this.#isStopped) this.#cancelTimer = this.#clock.after(intervalMs, () => void this.#run());
  }
}

/** Often enough that a reservation is extended in time even if some attempts fail. */
const intervalMs = 15_000;
