import { systemClock } from '../../../clock.ts';
import type { Reservation } from '../../../accounts/store.ts';

type UnconfirmedCharge = Pick<Reservation, 'id' | 'accountId'>;

/**
 * Reverses charges whose statement was sent and not answered: the caller was answered that nothing was charged. A reservation that was not
 * confirmed need not be added, as it expires.
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

  /** Reverses what it can now, and the rest later. Never rejects. */
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
