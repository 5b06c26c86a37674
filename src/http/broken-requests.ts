import { STATUS_CODES, type Server } from 'node:http';
import { Problem } from '../problems.ts';
import type { Reply } from './call.ts';
import type { Connections } from './connections.ts';

/** Answers what could not be read as an HTTP request, or did not arrive in time: node alone would send an empty body. */
export function answerBrokenRequests(server: Server, connections: Connections, refuse: (problem: Problem) => Reply): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The answer to an earlier request of this connection comes first: what is written now would be taken for it.
    const owed = connections.owed(socket).some(({ req, headersSent }) => req.complete || headersSent);
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
