import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';

/** Half the response time of a nearby registry. */
const maxDelayMs = 10;

/**
 * Delays the parsing of responses until the requests that they allow have been sent. Registries
 * would be idle while responses are parsed.
 */
export class SendPriority {
  readonly #clock: Clock;
  #sending: Promise<void> | undefined;
  #sentCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when all requests that may be sent have been, within about `maxDelayMs`; returns
   * undefined if none is being sent. Call it before parsing a response. `sends`: whether this
   * response allowed another request.
   */
  yieldToSends(sends: boolean): Promise<void> | undefined {
    if (!sends) return this.#sending;
    this.#sentCount += 1;
    return (this.#sending ??= this.#waitForSends());
  }

  async #waitForSends(): Promise<void> {
    const end = this.#clock.elapsed() + maxDelayMs;
    let before: number;
    // Responses arrive over several turns of the event loop, and the requests that they allow are
    // sent at the end of a turn, when a connection is free.
    do {
      before = this.#sentCount;
      await yieldToEventLoop();
    } while (this.#sentCount > before && this.#clock.elapsed() < end);

    await yieldToEventLoop();
    this.#sending = undefined;
  }
}
