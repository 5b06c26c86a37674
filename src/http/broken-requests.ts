import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../problems.ts';
import type { Reply } from './call.ts';
import type { Connections } from './connections.ts';
import { rawResponse } from './raw-response.ts';

/**
 * Answers what could not be read as an HTTP request, did not arrive in time, or asks for a tunnel: node alone would send an empty body, or
 * nothing.
 */
export function answerBrokenRequests(server: Server, connections: Connections, refuse: (problem: Problem) => Reply): void {
  function close(socket: Duplex, problem: Problem): void {
    // The answer to an earlier request of this connection comes first: what is written now would be taken for it.
    const owed = connections.owed(socket).some(({ req, headersSent }) => req.complete || headersSent);
    if (owed || !socket.writable) return void socket.destroy();
    socket.end(rawResponse(refuse(problem)), () => socket.destroy());
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    close(socket, problemOf(error));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy()); // node has let go of it
    close(socket, new Problem('method_not_allowed', 'This is no proxy: CONNECT leads nowhere.', { allow }));
  });
}

/** No path takes more than these. */
const allow = 'GET, HEAD, POST, OPTIONS';

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large', 'Send shorter headers, or a shorter URL.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout', 'The request did not arrive whole; send it again.');
  return new Problem('malformed_request', 'This is not an HTTP request that can be read.');
}
