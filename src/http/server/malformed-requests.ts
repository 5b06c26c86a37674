import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../domain/problems.ts';
import type { HttpResponse } from '../http-request-context.ts';
import type { HttpConnections } from './connections.ts';
import { rawResponse } from './raw-response.ts';

/**
 * Responds to requests that are not valid HTTP, do not arrive in time, or request a tunnel: Node
 * would send an empty body, or nothing.
 */
export function handleMalformedRequests(
  server: Server,
  connections: HttpConnections,
  render: (problem: Problem) => HttpResponse,
): void {
  function close(socket: Duplex, problem: Problem): void {
    // If the response to an earlier request of the connection is pending, the client would mistake
    // this one for it.
    const hasPendingResponse = connections
      .pendingResponses(socket)
      .some(({ req, headersSent }) => req.complete || headersSent);
    if (hasPendingResponse || !socket.writable) return void socket.destroy();
    socket.end(rawResponse(render(problem)), () => socket.destroy());
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    close(socket, problemOf(error));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy()); // Node no longer handles its errors
    close(socket, new Problem('method_not_allowed', 'CONNECT is not supported.', { allow }));
  });
}

/** The methods that some path accepts. */
const allow = 'GET, HEAD, POST, OPTIONS';

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers_too_large', 'Send shorter headers or a shorter URL.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request did not arrive in time. Send it again.');
  return new Problem('malformed_request', 'The request is not valid HTTP.');
}
