import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from '../http-request-context.ts';

/** A response as it goes over the wire, for a connection that is closed after it. */
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
