import type { Clock } from '../../clock.ts';
import { jsonResponse, type Handler, type HttpResponse } from '../http-request-context.ts';

const noStore = { 'cache-control': 'no-store' };
const resultTtlMs = 250;

/** Responds with 200 while the process runs. */
export const health: Handler = () => jsonResponse(200, { status: 'ok' }, noStore);

/**
 * Reports whether the gateway can serve requests. The reason is only logged. A check writes to the
 * ledger, so its result is shared for 250 ms.
 */
export class Readiness {
  readonly #isReady: () => Promise<boolean>;
  readonly #clock: Clock;
  #result: Promise<boolean> | undefined;
  #expiresAt = -Infinity;

  constructor(isReady: () => Promise<boolean>, clock: Clock) {
    this.#isReady = isReady;
    this.#clock = clock;
  }

  async respond(): Promise<HttpResponse> {
    if (!this.#result || this.#clock.elapsed() >= this.#expiresAt) this.#result = this.#check();
    const isReady = await this.#result;
    return jsonResponse(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready' }, noStore);
  }

  async #check(): Promise<boolean> {
    this.#expiresAt = Infinity;
    try {
      return await this.#isReady();
    } finally {
      this.#expiresAt = this.#clock.elapsed() + resultTtlMs;
    }
  }
}
