import type { Dispatcher } from 'undici';
import type { ResponseHandler } from './connection.ts';

/** An HTTP response, its body as it was sent. */
export interface Received {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** Every line of a header that may be sent more than once. */
  readonly headerLines: (name: string) => readonly string[];
  /** The end of the body was marked by its length or by the last chunk, not by the end of the connection. */
  readonly delimited: boolean;
  readonly body: Uint8Array;
}

export interface Sent {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** Called when the response turns out to be the response to another request, possibly after it was returned. */
  readonly onDisowned?: (() => void) | undefined;
}

/** The response did not arrive in time. */
export class TimeoutError extends Error {}

/** The body of a response that is classified by its status alone must not hold the lookup; a kept connection is worth this much of it. */
const maxDiscardBytes = 64 * 1024;
const maxDiscardMs = 1000;

/**
 * Sends one GET, and reads the body where it matters. Rejects with what went wrong, or with a `TimeoutError`.
 * It uses the dispatcher itself, as undici's `request` makes a stream of each body: half of what an exchange costs.
 */
export function exchange(sent: Sent): Promise<Received> {
  return new Exchange(sent).response;
}

class Exchange {
  readonly #settled = Promise.withResolvers<Received>();
  readonly #chunks: Buffer[] = [];
  readonly #onDisowned: Sent['onDisowned'];
  #controller: Dispatcher.DispatchController | undefined;
  #received: Omit<Received, 'body'> | undefined;
  #timedOut: TimeoutError | undefined;
  #discardedBytes = 0;
  #timer: NodeJS.Timeout;

  constructor({ dispatcher, url, headers, timeoutMs, onDisowned }: Sent) {
    this.#onDisowned = onDisowned;
    this.#timer = setTimeout(() => this.#giveUp(), timeoutMs).unref();
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers },
        this.#handler(),
      );
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  get response(): Promise<Received> {
    return this.#settled.promise;
  }

  #handler(): ResponseHandler {
    return {
      onRequestStart: (controller) => {
        this.#controller = controller;
        if (this.#timedOut) controller.abort(this.#timedOut);
      },
      onResponseStart: (controller, status, headers) => this.#start(controller, status, headers),
      onResponseData: (controller, chunk) => this.#read(controller, chunk),
      onResponseEnd: () => this.#end(),
      onResponseError: (_controller, error) => this.#fail(error),
      onResponseDisowned: () => this.#onDisowned?.(),
    };
  }

  #start(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const headerLines = (name: string) => [headers[name] ?? []].flat();
    const delimited =
      headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    this.#received = { status, header: (name) => headerLines(name)[0], headerLines, delimited };
    if (status < 200 || hasRelevantBody(status)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => controller.abort(new Error('The rest of the response is not needed.')),
      maxDiscardMs,
    ).unref();
    this.#settled.resolve({ ...this.#received, body: emptyBody });
  }

  #read(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#received && hasRelevantBody(this.#received.status))
      return void this.#chunks.push(chunk);
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > maxDiscardBytes)
      controller.abort(new Error('The rest of the response is not needed.'));
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#received) this.#settled.resolve({ ...this.#received, body: joined(this.#chunks) });
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer);
    this.#settled.reject(error);
  }

  #giveUp(): void {
    this.#timedOut = new TimeoutError();
    // Before it has a connection there is nothing to abort.
    this.#controller?.abort(this.#timedOut);
    this.#settled.reject(this.#timedOut);
  }
}

const emptyBody = new Uint8Array();

function hasRelevantBody(status: number): boolean {
  return status === 200 || status === 404;
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  const [only = emptyBody] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : only;
}
