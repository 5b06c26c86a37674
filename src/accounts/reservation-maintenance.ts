import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { AccountStore } from './store.ts';

/**
 * Extends the reservations of this process while its work is running, and refunds expired
 * reservations of any process: immediately and then every 15 seconds. Credits reserved by a killed
 * process are refunded within 75 seconds.
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
        this.#log.warn(
          { reservations },
          'Refunded credit reservations that were not settled in time.',
        );
    } catch (error) {
      if (!this.#isStopped)
        this.#log.warn(
          { err: error },
          'Failed to extend or refund credit reservations. Retrying in 15 s.',
        );
    }
    if (!this.#isStopped) this.#cancelTimer = this.#clock.after(intervalMs, () => void this.#run());
  }
}

/** Short enough to extend reservations in time even if some attempts fail. */
const intervalMs = 15_000;
