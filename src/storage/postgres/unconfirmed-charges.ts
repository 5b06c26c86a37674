import { systemClock } from '../../clock.ts';
import type { Reservation } from '../../accounts/store.ts';

type UnconfirmedCharge = Pick<Reservation, 'id' | 'accountId'>;

/**
 * Reverses charges whose statement was sent but not confirmed: the caller received an error, so
 * nothing may be charged. Unconfirmed reservations need not be added, as they expire.
 */
export class UnconfirmedCharges {
  readonly #reverse: (charge: UnconfirmedCharge) => Promise<unknown>;
  readonly #charges = new Set<UnconfirmedCharge>();
  #isRetryScheduled = false;

  constructor(reverse: (charge: UnconfirmedCharge) => Promise<unknown>) {
    this.#reverse = reverse;
  }

  add(charge: UnconfirmedCharge): void {
    this.#charges.add(charge);
    this.#scheduleRetry();
  }

  /** Reverses as many charges as possible now, and retries the rest later. Never rejects. */
  async reverseAll(): Promise<void> {
    for (const charge of this.#charges) {
      await this.#reverse(charge).then(
        () => this.#charges.delete(charge),
        () => this.#scheduleRetry(),
      );
    }
  }

  #scheduleRetry(): void {
    if (this.#isRetryScheduled) return;
    this.#isRetryScheduled = true;
    systemClock.after(retryMs, () => {
      this.#isRetryScheduled = false;
      void this.reverseAll();
    });
  }
}

const retryMs = 500;
