import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

/** Half of what a near registry takes. */
const maxDelayMs = 10;

/** Delays the parsing of responses until the requests that they let through have been sent: parsing takes time in which registries would idle. */
export class SendPriority {
  readonly #clock: Clock;
  #sending: Promise<void> | undefined;
  #sentCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Settles when everything that may be sent has been, but within some milliseconds; returns undefined if nothing is being sent. Call it
   * before a response is parsed; `sends`: this response let another request through.
   */
  yieldToSends(sends: boolean): Promise<void> | undefined {
    if (!sends) return this.#sending;
    this.#sentCount += 1;
    return (this.#sending ??= this.#waitForSends());
  }

  async #waitForSends(): Promise<void> {
    const end = this.#clock.elapsed() + maxDelayMs;
    let before: number;
    // Responses arrive over several turns of the event loop; what they let through is sent at the end of a turn, when a connection is free.
    do {
      before = this.#sentCount;
      await nextTurn();
    } while (this.#sentCount > before && this.#clock.elapsed() < end);
    await nextTurn();
    this.#sending = undefined;
  }
}
