import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import type { SlowReaders } from './slow-readers.ts';

/** Sends a response; a streamed one at the pace at which the client reads. Rejects with what a stream throws. */
export async function sendResponse(
  response: ServerResponse,
  reply: HttpResponse,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): Promise<void> {
  const { request } = http;
  const { body } = reply;
  if (response.destroyed) return void (await closeBody(body));
  // A request whose body was not read leaves its bytes on the socket: close it rather than read them as the next request.
  const isUnread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
  const headers = { ...reply.headers, ...(isUnread && { connection: 'close' }) };
  if (typeof body !== 'object' || body instanceof Uint8Array)
    return sendBuffered(response, { ...reply, headers, body }, http, slowReaders);
  response.writeHead(reply.status, headers);
  await sendStream(response, body, http, slowReaders);
}

type BufferedResponse = Omit<HttpResponse, 'body'> & {
  readonly body: string | Uint8Array | undefined;
};

function sendBuffered(
  response: ServerResponse,
  { status, headers, body }: BufferedResponse,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): void {
  const bytes = Buffer.byteLength(body ?? '');
  const length = status === 204 || status === 304 ? {} : { 'content-length': String(bytes) };
  response.writeHead(status, { ...headers, ...length });
  response.end(http.request.method === 'HEAD' ? undefined : body);
  // What the system has taken need not be waited for. A pipelined response has no socket until the one before it is sent.
  if (response.socket?.writableLength !== 0)
    response.once('close', slowReaders.wait(response, bytes, http));
}

async function sendStream(
  response: ServerResponse,
  chunks: AsyncGenerator<string, void, void>,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): Promise<void> {
  const isHead = http.request.method === 'HEAD';
  const writes = new CoalescedWrites(response);
  let waitedMs = 0;
  response.flushHeaders();
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!isHead) writes.add(chunk);
      if (!response.writableNeedDrain) continue;
      const endWait = slowReaders.wait(response, response.writableLength, http, waitedMs);
      await once(response, 'drain', { signal: http.signal() }).catch(() => undefined);
      waitedMs += endWait();
    }
  } finally {
    writes.flush();
  }
  if (response.destroyed) return;
  response.once('close', slowReaders.wait(response, response.writableLength, http, waitedMs));
  response.end();
}

/** Joins what is written in one turn: rows come by the hundred, and a chunk (RFC 9112 section 7.1) costs half as much as a row. */
class CoalescedWrites {
  readonly #response: ServerResponse;
  #text = '';

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  add(chunk: string): void {
    // What else is there by now comes before the next tick.
    if (this.#text === '') process.nextTick(() => this.flush());
    this.#text += chunk;
    if (this.#text.length > maxCoalescedChars) this.flush();
  }

  flush(): void {
    if (this.#text !== '' && !this.#response.destroyed) this.#response.write(this.#text);
    this.#text = '';
  }
}

const maxCoalescedChars = 16_384;

async function closeBody(body: HttpResponse['body']): Promise<void> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) await body.return();
}
