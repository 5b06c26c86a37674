import { Client, type Dispatcher } from 'undici';

/** A dispatch handler that is also notified if its response may belong to another request. */
export interface ResponseHandler extends Dispatcher.DispatchHandler {
  /**
   * Called if a response without a request followed on the same connection: the last response may
   * belong to another request.
   */
  onResponseMismatch?(): void;
}

type Connect = Extract<Client.Options['connect'], (...args: never[]) => unknown>;

/**
 * A connection to a registry host, for undici's pools. Differs from undici's `Client` in two ways:
 * a connection reset is an error even if the end of the connection marks the end of the body, and a
 * response without a request invalidates the previous response. undici closes the connection in
 * both cases.
 */
export class RegistryConnection extends Client {
  #resetError: Error | undefined;
  /** The handler of the last request. */
  #lastHandler: ResponseHandler | undefined;

  constructor(
    origin: string | URL,
    { connect, ...options }: Client.Options & { readonly connect: Connect },
  ) {
    const watched: Connect = (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (!socket) return callback(error, null);
        this.#resetError = undefined;
        // Added before undici's own listener, so that the error is set when undici ends the
        // response.
        socket.once('error', (reset: Error) => (this.#resetError = reset));
        callback(null, socket);
      });
    super(origin, { ...options, connect: watched });
    this.on('disconnect', (_origin, _targets, error) => {
      if (error.message === 'bad response') this.#lastHandler?.onResponseMismatch?.();
      this.#lastHandler = undefined;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ResponseHandler): boolean {
    const watched: Dispatcher.DispatchHandler = {
      onRequestStart: (controller, context) => {
        this.#lastHandler = handler;
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
}
