import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts an HTTP server on a free port. Disposal closes all connections. */
export async function startHttpServer(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Starts a site with an empty page at `http://localhost`, a different site from `http://127.0.0.1`. */
export const startEmptySite = () =>
  startHttpServer(
    (_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
    'localhost',
  );
