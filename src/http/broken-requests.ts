import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../problems.ts';
import type { Reply } from './call.ts';

/** Answers what could not be read as an HTTP request, or did not arrive in time: node alone would send an empty body. */
export function answerBrokenRequests(server: Server, refuse: (problem: Problem) => Reply): void {
  const underWay = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const responses = underWay.get(socket) ?? new Set();
    underWay.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The answer to an earlier request of this connection comes first: what is written now would be taken for it.
    const owed = Array.from(underWay.get(socket) ?? []).some(({ req, headersSent }) => req.complete || headersSent);
    if (owed || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(onTheWire(refuse(problemOf(error))), () => socket.destroy());
  });
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large', 'Send shorter headers, or a shorter URL.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout', 'The request did not arrive whole; send it again.');
  return new Problem('malformed_request', 'This is not an HTTP request that can be read.');
}

function onTheWire({ status, headers, body }: Reply): string {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text), connection: 'close' });
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`), '', text].join('\r\n');
}
