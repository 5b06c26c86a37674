import type { Dispatcher } from 'undici';
import type { ResponseHandler } from './connection.ts';

/** An HTTP response with its undecoded body. */
export interface RawResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The lines of all headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Returns all lines of a header that may be repeated. */
  readonly headerLines: (name: string) => readonly string[];
  /**
   * The end of the body was marked by its length or the last chunk, not by the end of the
   * connection.
   */
  readonly isDelimited: boolean;
  readonly body: Uint8Array;
}

export interface RawRequest {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The time limit of the exchange. */
  readonly timeoutMs: number;
  /** Called if the response may belong to another request, possibly after it was returned. */
  readonly onMismatch?: (() => void) | undefined;
}

/** The response did not arrive in time. */
export class TimeoutError extends Error {}

/** A body that is not needed is read up to these limits, so that its connection can be reused. */
const maxDiscardBytes = 64 * 1024;
const maxDiscardMs = 1000;
const maxChunks = 1000;

/**
 * Sends a GET request. Reads the body of a 200 or 404, and the start of the body of a rejection.
 * Rejects with the error of the connection, or with a `TimeoutError`. Uses the dispatcher directly,
 * because undici's `request` creates a stream for each body, which is half the cost of an exchange.
 */
export function exchange(request: RawRequest): Promise<RawResponse> {
  return new HttpExchange(request).response;
}

class HttpExchange {
  readonly #response = Promise.withResolvers<RawResponse>();
  #chunks: Buffer[] = [];
  readonly #onMismatch: RawRequest['onMismatch'];
  #controller: Dispatcher.DispatchController | undefined;
  #responseHead: Omit<RawResponse, 'body'> | undefined;
  #timeoutError: TimeoutError | undefined;
  #discardedBytes = 0;
  #timer: NodeJS.Timeout;

  constructor({ dispatcher, url, headers, timeoutMs, onMismatch }: RawRequest) {
    this.#onMismatch = onMismatch;
    this.#timer = setTimeout(() => this.#timeOut(), timeoutMs).unref();

    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers },
        this.#handler(),
      );
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  get response(): Promise<RawResponse> {
    return this.#response.promise;
  }

  #handler(): ResponseHandler {
    return {
      onRequestStart: (controller) => {
        this.#controller = controller;
        if (this.#timeoutError) controller.abort(this.#timeoutError);
      },
      onResponseStart: (controller, status, headers) => this.#start(controller, status, headers),
      onResponseData: (controller, chunk) => this.#read(controller, chunk),
      onResponseEnd: () => this.#end(),
      onResponseError: (_controller, error) => this.#fail(error),
      onResponseMismatch: () => this.#onMismatch?.(),
    };
  }

  #start(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#responseHead = responseHead(status, headers);
    if (status < 200 || hasRelevantBody(status)) return;

    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => controller.abort(new Error('The rest of the response is not needed.')),
      maxDiscardMs,
    ).unref();
    if (!mayStateLimit(status)) this.#response.resolve({ ...this.#responseHead, body: emptyBody });
  }

  #read(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#responseHead && hasRelevantBody(this.#responseHead.status)) return this.#keep(chunk);
    this.#discardedBytes += chunk.length;
    if (this.#responseHead && mayStateLimit(this.#responseHead.status)) this.#keep(chunk);
    if (this.#discardedBytes > maxDiscardBytes)
      controller.abort(new Error('The rest of the response is not needed.'));
  }

  /** Without the copies, a body of one-byte chunks would need 400 bytes per byte. */
  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#chunks.length === maxChunks) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#responseHead)
      this.#response.resolve({ ...this.#responseHead, body: concatenate(this.#chunks) });
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer);
    // The start of such a body is enough.
    if (this.#responseHead && mayStateLimit(this.#responseHead.status)) this.#end();
    else this.#response.reject(error);
  }

  #timeOut(): void {
    this.#timeoutError = new TimeoutError();
    // There is no controller until the request has a connection; see `onRequestStart`.
    this.#controller?.abort(this.#timeoutError);
    this.#response.reject(this.#timeoutError);
  }
}

export function responseHead(
  status: number,
  headers: RawResponse['headers'],
): Omit<RawResponse, 'body'> {
  const codings = linesOf(headers['transfer-encoding']).at(-1);
  return {
    status,
    header: (name) => linesOf(headers[name])[0],
    headers,
    headerLines: (name) => linesOf(headers[name]),
    // A body whose last coding is not `chunked` ends with the connection (RFC 9112 section 6.3).
    isDelimited: codings ? /\bchunked\s*$/i.test(codings) : headers['content-length'] !== undefined,
  };
}

function linesOf(lines: string | readonly string[] = []): readonly string[] {
  return typeof lines === 'string' ? [lines] : lines;
}

const emptyBody = new Uint8Array();

function hasRelevantBody(status: number): boolean {
  return status === 200 || status === 404;
}

/** Statuses of rejections whose text may state a limit of queries. */
function mayStateLimit(status: number): boolean {
  return status === 400 || status === 401 || status === 403 || status === 422;
}

function concatenate(chunks: readonly Buffer[]): Uint8Array {
  const [first = emptyBody] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
