import type { Dispatcher } from 'undici';
import { ResponseLimitError } from './connection.ts';
import { decodeStart, isCompressed, LimitedBody } from './encodings.ts';

/** A response of a site, with the part of its body that was read. */
export interface SiteExchangeResponse {
  readonly status: number;
  /** Values by the name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. */
  readonly body: Uint8Array;
  /** The body continues after the part that was read. */
  readonly isTruncated: boolean;
}

export interface SiteExchangeRequest {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the exchange, with its reason as the error. */
  readonly signal: AbortSignal;
  /** Returns how much of the body is read. */
  readonly maxBytesOf: (status: number, headers: SiteExchangeResponse['headers']) => number;
}

/** The connection could not be established. The cause is the error of the socket, or the reason. */
export class ConnectError extends Error {}

/** A compressed body is not read further than this, whatever it decompresses to. */
const maxReceivedBytes = 512 * 1024;
/** Limits responses such as 103 (RFC 8297), which a server could send without end. */
const maxInterimResponses = 10;

/**
 * Sends a GET request and reads the body up to a limit, of any status. Rejects with `ConnectError`,
 * `UnreadableBodyError`, the error of the connection or the reason of the signal.
 */
export function exchangeWithSite(request: SiteExchangeRequest): Promise<SiteExchangeResponse> {
  return new SiteExchange(request).response;
}

class SiteExchange {
  readonly #request: SiteExchangeRequest;
  readonly #response = Promise.withResolvers<SiteExchangeResponse>();
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<SiteExchangeResponse, 'status' | 'headers'> | undefined;
  /** The body as it is received. */
  #body: LimitedBody | undefined;
  #interimResponses = 0;
  #isSettled = false;

  constructor(request: SiteExchangeRequest) {
    this.#request = request;
    const { signal } = request;
    if (signal.aborted) this.#abort();
    else this.#send();
  }

  get response(): Promise<SiteExchangeResponse> {
    return this.#response.promise;
  }

  readonly #abort = () => this.#fail(this.#request.signal.reason as Error);

  #send(): void {
    const { dispatcher, url, headers, signal } = this.#request;
    signal.addEventListener('abort', this.#abort, { once: true });

    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers },
        this.#handler(),
      );
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => {
        this.#controller = controller;
        if (this.#isSettled) controller.abort(new Error('The request was aborted.'));
      },
      onResponseStart: (_controller, status, headers) => {
        if (status >= 200) this.#start(status, headers);
        else this.#countInterim();
      },
      onResponseData: (_controller, chunk) => {
        if (this.#body?.add(chunk) === false) this.#end(true);
      },
      onResponseEnd: () => this.#end(false),
      onResponseError: (_controller, error) =>
        this.#body && error instanceof ResponseLimitError ? this.#end(true) : this.#fail(error),
    };
  }

  #countInterim(): void {
    this.#interimResponses += 1;
    if (this.#interimResponses > maxInterimResponses)
      this.#fail(new ResponseLimitError(`sent more than ${maxInterimResponses} interim responses`));
  }

  #start(status: number, headers: SiteExchangeResponse['headers']): void {
    this.#head = { status, headers };
    try {
      const maxBytes = isCompressed(encodingOf(headers))
        ? maxReceivedBytes
        : this.#request.maxBytesOf(status, headers);
      this.#body = new LimitedBody(Math.min(maxBytes, maxReceivedBytes));
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #end(isCut: boolean): void {
    const [head, received] = [this.#head, this.#body?.bytes];
    if (!head || !received || !this.#settle(isCut)) return;

    const { status, headers } = head;
    const maxBytes = this.#request.maxBytesOf(status, headers);
    const response = decodeStart(received, encodingOf(headers), maxBytes).then(
      ({ body, isTruncated }) => ({ ...head, body, isTruncated: isTruncated || isCut }),
    );

    this.#response.resolve(response);
  }

  #fail(error: Error): void {
    const isConnected = this.#controller !== undefined;
    if (!this.#settle(true)) return;
    this.#response.reject(
      isConnected ? error : new ConnectError('The connection failed.', { cause: error }),
    );
  }

  /** Frees what the exchange uses. Returns false if it ended before. */
  #settle(abort: boolean): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#request.signal.removeEventListener('abort', this.#abort);
    if (abort) this.#controller?.abort(new Error('The rest of the response is not needed.'));
    return true;
  }
}

function encodingOf(headers: SiteExchangeResponse['headers']): string {
  const encoding = [headers['content-encoding'] ?? ''].flat().join(',');
  return encoding.trim().toLowerCase();
}
