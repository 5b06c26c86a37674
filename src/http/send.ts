import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Call, Reply } from './call.ts';

/**
 * Cuts an answer of so many bytes off unless the client takes them in time; `waitedMs`: for how long others of the same answer have waited for
 * it. Returns how to say that it did, which returns for how long these have.
 */
export type Patience = (response: ServerResponse, bytes: number, call: Call, waitedMs?: number) => () => number;

/** Sends an answer; a streamed one at the pace at which the client reads. Rejects with what a stream throws. */
export async function sendReply(response: ServerResponse, reply: Reply, call: Call, patience: Patience): Promise<void> {
  const { request } = call;
  const { status, headers, body } = reply;
  if (response.destroyed) return void (await endEarly(body));
  // A request whose body was not read leaves its bytes on the socket: close it rather than read them as the next request.
  const unread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
  const closing = unread ? { connection: 'close' } : {};
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = Buffer.byteLength(body ?? '');
    const length = status === 204 || status === 304 ? {} : { 'content-length': String(bytes) };
    response.writeHead(status, { ...headers, ...length, ...closing });
    response.end(request.method === 'HEAD' ? undefined : body);
    // What the system has taken need not be waited for. A pipelined answer has no socket until the one before it has left.
    if (response.socket?.writableLength !== 0) response.once('close', patience(response, bytes, call));
    return;
  }
  response.writeHead(status, { ...headers, ...closing });
  await stream(response, body, call, patience);
}

async function stream(response: ServerResponse, chunks: AsyncGenerator<string, void, void>, call: Call, patience: Patience): Promise<void> {
  const unseen = call.request.method === 'HEAD';
  const gathered = gathering(response);
  let waitedMs = 0;
  response.flushHeaders();
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!unseen) gathered.add(chunk);
      if (!response.writableNeedDrain) continue;
      const taken = patience(response, response.writableLength, call, waitedMs);
      await once(response, 'drain', { signal: call.signal() }).catch(() => undefined);
      waitedMs += taken();
    }
  } finally {
    gathered.write();
  }
  if (response.destroyed) return;
  response.once('close', patience(response, response.writableLength, call, waitedMs));
  response.end();
}

/** Writes what comes upon each other as one: rows come by the hundred, and a chunk (RFC 9112 section 7.1) costs half as much as a row. */
function gathering(response: ServerResponse) {
  let text = '';

  function write(): void {
    if (text !== '' && !response.destroyed) response.write(text);
    text = '';
  }

  return {
    add(chunk: string) {
      // What else is there by now comes before the next tick.
      if (text === '') process.nextTick(write);
      text += chunk;
      if (text.length > mostGathered) write();
    },
    write,
  };
}

const mostGathered = 16_384;

async function endEarly(body: Reply['body']): Promise<void> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) await body.return();
}
