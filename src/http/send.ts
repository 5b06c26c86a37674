import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Call, Reply } from './call.ts';

/** Sends an answer; a streamed one at the pace at which the client reads. Rejects with what a stream throws. */
export async function sendReply(response: ServerResponse, { status, headers, body }: Reply, { request, signal }: Call): Promise<void> {
  if (response.destroyed) return void (await endEarly(body));
  const whole = typeof body === 'string' ? Buffer.from(body) : body;
  // A request whose body was not read leaves its bytes on the socket: close it rather than read them as the next request.
  const unread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
  const closing = unread ? { connection: 'close' } : {};
  if (whole === undefined || whole instanceof Uint8Array) {
    const length = status === 204 || status === 304 ? {} : { 'content-length': String(whole?.length ?? 0) };
    response.writeHead(status, { ...headers, ...length, ...closing });
    cutSlowReader(response);
    response.end(request.method === 'HEAD' ? undefined : whole);
    return;
  }
  response.writeHead(status, { ...headers, ...closing });
  if (request.method === 'HEAD') return void (await endEarly(whole), response.end());
  await stream(response, whole, signal);
}

async function stream(response: ServerResponse, chunks: AsyncGenerator<string, void, void>, signal: AbortSignal): Promise<void> {
  response.flushHeaders();
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (response.write(chunk)) continue;
    cutSlowReader(response);
    await once(response, 'drain', { signal }).catch(() => undefined);
    response.setTimeout(0);
  }
  response.end();
}

/** Whoever takes nothing of what is sent for so long holds memory that others need. */
function cutSlowReader(response: ServerResponse): void {
  response.setTimeout(slowReaderMs, () => response.destroy());
}

const slowReaderMs = 30_000;

async function endEarly(body: Reply['body']): Promise<void> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) await body.return();
}
