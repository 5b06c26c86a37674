import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import type { SlowReaders } from './slow-readers.ts';

/** A response with all its headers, to which those of the connection are added. */
export interface SentResponse extends HttpResponse {
  readonly headers: Record<string, string>;
}

/**
 * Sends a response, a streamed one at the speed at which the client reads. Rejects with the error
 * of a stream that fails.
 */
export async function sendResponse(
  response: ServerResponse,
  reply: SentResponse,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): Promise<void> {
  const { request } = http;
  const { body } = reply;
  if (response.destroyed) return void (await closeBody(body));
  // An unread request body remains on the socket: close the connection, so that it is not parsed as
  // the next request.
  const isUnread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
  if (isUnread) reply.headers['connection'] = 'close';
  if (typeof body !== 'object' || body instanceof Uint8Array)
    return sendBuffered(response, reply, body, http, slowReaders);
  response.writeHead(reply.status, reply.headers);
  await sendStream(response, body, http, slowReaders);
}

function sendBuffered(
  response: ServerResponse,
  { status, headers }: SentResponse,
  body: string | Uint8Array | undefined,
  http: HttpRequestContext,
  slowReaders: SlowReaders,
): void {
  const bytes = Buffer.byteLength(body ?? '');
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes);
  response.writeHead(status, headers);
  response.end(http.request.method === 'HEAD' ? undefined : body);
  // There is nothing to wait for if the kernel has taken all data. A pipelined response has no
  // socket until the previous one has been sent.
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
  let waitedMs = 0;
  response.flushHeaders();
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!isHead) response.write(chunk);
    if (!response.writableNeedDrain) continue;
    const endWait = slowReaders.wait(response, response.writableLength, http, waitedMs);
    await once(response, 'drain', { signal: http.signal() }).catch(() => undefined);
    waitedMs += endWait();
  }
  if (response.destroyed) return;
  response.once('close', slowReaders.wait(response, response.writableLength, http, waitedMs));
  response.end();
}

async function closeBody(body: HttpResponse['body']): Promise<void> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) await body.return();
}
