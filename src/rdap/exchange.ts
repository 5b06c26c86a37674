import type { Dispatcher } from 'undici';
import type { ResponseHandler } from './connection.ts';

/** An HTTP answer, its body as it was sent. */
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
  /** For all of it. */
  readonly timeoutMs: number;
  /** Called when the response turns out to be the response to another request, possibly after it was returned. */
  readonly onDisowned?: (() => void) | undefined;
}

/** The answer was not there in time. */
export class TimeoutError extends Error {}

/** What an answer holds that is judged by its status must not hold the lookup; a kept connection is worth this much of it, in bytes and ms. */
const mostUnread = 64 * 1024;
const longestUnread = 1000;

/**
 * One GET, read whole where the body matters. Rejects with what went wrong, or with a `TimeoutError`.
 * On the dispatcher itself, as undici's `request` makes a stream of each body: half of what an exchange costs.
 */
export function exchange({ dispatcher, url, headers, timeoutMs, onDisowned }: Sent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const chunks: Buffer[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let received: Omit<Received, 'body'> | undefined;
  let late: TimeoutError | undefined;
  let unread = 0;
  let timer = setTimeout(giveUp, timeoutMs).unref();

  function giveUp(): void {
    late = new TimeoutError();
    // Before it has a connection there is nothing to abort, and nobody waits for one.
    controller?.abort(late);
    reject(late);
  }

  const handler: ResponseHandler = {
    onRequestStart(started) {
      controller = started;
      if (late) started.abort(late);
    },
    onResponseStart(started, status, sent) {
      const headerLines = (name: string) => [sent[name] ?? []].flat();
      const delimited = sent['content-length'] !== undefined || sent['transfer-encoding'] !== undefined;
      received = { status, header: (name) => headerLines(name)[0], headerLines, delimited };
      if (status < 200 || isRead(status)) return;
      clearTimeout(timer);
      timer = setTimeout(() => started.abort(new Error('Nobody waits for the rest.')), longestUnread).unref();
      resolve({ ...received, body: nothing });
    },
    onResponseData(started, chunk) {
      if (received && isRead(received.status)) return void chunks.push(chunk);
      unread += chunk.length;
      if (unread > mostUnread) started.abort(new Error('Nobody wants the rest.'));
    },
    onResponseEnd() {
      clearTimeout(timer);
      if (received) resolve({ ...received, body: joined(chunks) });
    },
    onResponseError(_started, error) {
      clearTimeout(timer);
      reject(error);
    },
    onResponseDisowned: () => onDisowned?.(),
  };
  try {
    dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method: 'GET', headers }, handler);
  } catch (error) {
    clearTimeout(timer);
    reject(error as Error);
  }
  return promise;
}

const nothing = new Uint8Array();

function isRead(status: number): boolean {
  return status === 200 || status === 404;
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  const [only = nothing] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : only;
}
