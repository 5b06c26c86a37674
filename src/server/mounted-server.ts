import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { rawPath } from './request-target.ts';
import { Responder, type ResponderOptions } from './responder.ts';

/** Responds to requests that a server outside the gateway receives, which manages connections. */
export class MountedServer {
  readonly #responder: Responder;
  readonly #pending = new Set<ServerResponse>();
  #idle: (() => void) | undefined;
  #isStopping = false;

  constructor(options: ResponderOptions) {
    this.#responder = new Responder(options);
  }

  get connections(): number {
    return new Set(Array.from(this.#pending, ({ socket }) => socket)).size;
  }

  /** Responds to a request, or rejects it with `overloaded` once the gateway stops. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopping) return this.#responder.reject(response, rawPath(request.url ?? ''));

    this.#pending.add(response);
    let closed: (() => void) | undefined;
    response.once('close', () => {
      this.#pending.delete(response);
      closed?.();
      if (this.#pending.size === 0) this.#idle?.();
    });
    this.#responder.receive(request, response, {
      onClose: (task) => void (closed = task),
      isLast: () => false,
    });
  }

  /** Finishes the requests in flight, and aborts the responses that remain after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#pending.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const timer = new AbortController();
      const grace = delay(graceMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([idle, grace]);
      timer.abort();
    }

    for (const response of this.#pending) response.destroy();
    this.#responder.flush();
  }
}
