import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from '../http-request-context.ts';

/** Returns the HTTP/1.1 text of a response after which the connection is closed. */
export function rawResponse({ status, headers, body }: HttpResponse): string {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');
}
