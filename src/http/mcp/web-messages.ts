import { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { eventStream } from '../messages/media-types.ts';

/** The SDK requires clients to accept both. `curl` and other simple clients accept everything. */
const acceptBoth = `application/json, ${eventStream}`;

/**
 * Converts a request to the form that the SDK reads: its MCP headers and a signal, but no body,
 * which has been parsed already.
 */
export function webRequest({ request, path }: HttpRequestContext, signal: AbortSignal): Request {
  const { accept = '*/*' } = request.headers;
  const headers = new Headers({
    'content-type': 'application/json',
    accept: accept.includes('*/*') ? acceptBoth : accept,
  });
  for (const [name, value] of Object.entries(request.headers))
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  return new Request(new URL(path, 'http://gateway.invalid'), { method: 'POST', headers, signal });
}

/**
 * Converts a response of the SDK. Throws `internal` for a server error, which is logged and
 * rendered like every other.
 */
export async function httpResponse(response: Response): Promise<HttpResponse> {
  const { status, headers, body } = response;
  const contentType = headers.get('content-type');
  if (status >= 500)
    throw new Problem('internal', 'Internal error. Try again later.', {
      cause: new Error(await response.text()),
    });
  const caching = { 'cache-control': 'no-store' };
  if (!body || contentType === null) return { status, headers: caching };
  if (contentType.startsWith(eventStream))
    return {
      status,
      headers: { 'content-type': contentType, ...caching, 'x-accel-buffering': 'no' },
      body: textOf(body),
    };
  return {
    status,
    headers: { 'content-type': contentType, ...caching },
    body: await response.text(),
    ...(status >= 400 && { code: 'invalid_body' }),
  };
}

/** Yields a stream as text. Ending it early cancels the stream. */
async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
}
