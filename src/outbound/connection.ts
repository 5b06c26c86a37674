import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';

/** A dispatch handler that is also notified if its response may belong to another request. */
export interface ResponseHandler extends Dispatcher.DispatchHandler {
  /**
   * Called if a response without a request followed on the same connection: the last response may
   * belong to another request.
   */
  onResponseMismatch?(): void;
}

/** A response exceeds a limit. The message says which, for "HOST …". */
export class ResponseLimitError extends Error {}

interface ConnectionOptions extends Client.Options {
  readonly connect: Connect;
  /** Maximum bytes that are received per request: headers, framing and body. */
  readonly maxReceivedBytes?: number | undefined;
}

type Connect = Extract<Client.Options['connect'], (...args: never[]) => unknown>;

/**
 * A connection to a registry host, for undici's pools. Differs from undici's `Client` in three ways:
 * a connection reset is an error even if the end of the connection marks the end of the body, a
 * response without a request invalidates the previous response, and the received bytes may be
 * limited. undici closes the connection in all cases.
 */
export class RegistryConnection extends Client {
  #resetError: Error | undefined;
  #lastHandler: ResponseHandler | undefined;

  readonly #maxReceivedBytes: number;
  #socket: Socket | undefined;
  /** The value of `bytesRead` after which the connection is closed. */
  #maxBytesRead = Infinity;

  constructor(
    origin: string | URL,
    { connect, maxReceivedBytes = Infinity, ...options }: ConnectionOptions,
  ) {
    const watched: Connect = (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (!socket) return callback(error, null);

        this.#resetError = undefined;
        // Added before undici's own listener, so that the error is set when undici ends the
        // response.
        socket.once('error', (reset: Error) => (this.#resetError = reset));
        this.#limit(socket);
        callback(null, socket);
      });

    super(origin, { ...options, connect: watched });
    this.#maxReceivedBytes = maxReceivedBytes;
    this.on('disconnect', (_origin, _targets, error) => {
      if (error.message === 'bad response') this.#lastHandler?.onResponseMismatch?.();
      this.#lastHandler = undefined;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ResponseHandler): boolean {
    const watched: Dispatcher.DispatchHandler = {
      onRequestStart: (controller, context) => {
        this.#lastHandler = handler;
        this.#maxBytesRead = (this.#socket?.bytesRead ?? 0) + this.#maxReceivedBytes;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...response) => handler.onResponseStart?.(...response),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (controller, trailers) => {
        if (this.#resetError) handler.onResponseError?.(controller, this.#resetError);
        else handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    };
    return super.dispatch(options, watched);
  }

  /** undici counts the data of bodies only, not extensions of chunks and interim responses. */
  #limit(socket: Socket): void {
    this.#socket = socket;
    this.#maxBytesRead = this.#maxReceivedBytes;
    if (this.#maxReceivedBytes === Infinity) return;

    socket.on('readable', () => {
      if (socket.bytesRead > this.#maxBytesRead)
        socket.destroy(
          new ResponseLimitError(`sent more than ${this.#maxReceivedBytes / 1024} KiB`),
        );
    });
  }
}
