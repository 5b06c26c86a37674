import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy to a local server whose connection a test disrupts. */
export interface FlakyProxy extends AsyncDisposable {
  /** The URL of the server through this proxy. */
  readonly url: string;
  /** Drops the server's responses; requests are still delivered. */
  dropResponses(): void;
  /**
   * Holds requests back. The returned function delivers them after all, and resolves when the
   * server has processed them.
   */
  holdRequests(): () => Promise<void>;
  /** Resets all open connections, like a server that dies. */
  cutConnections(): void;
  /** Ends the disruption for new connections. */
  restore(): void;
}

/** Starts a proxy to the server of a URL. */
export async function startFlakyProxy(url: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  // Requests held back, by connection.
  const held = new Map<Socket, Buffer[]>();
  let isDropping = false;
  let isHolding = false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // The `close` event follows.
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk: Buffer) => {
      if (isHolding) held.set(upstream, [...(held.get(upstream) ?? []), chunk]);
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isDropping) client.write(chunk);
    });
    client.on('close', () => {
      if (!held.has(upstream)) upstream.end();
    });
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    dropResponses: () => void (isDropping = true),
    holdRequests() {
      isHolding = true;
      return async () =>
        void (await Promise.all(
          Array.from(held, ([upstream, chunks]) => deliver(upstream, chunks)),
        ));
    },
    cutConnections() {
      for (const socket of sockets) socket.resetAndDestroy();
      sockets.clear();
    },
    restore() {
      isDropping = false;
      isHolding = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Delivers requests. The server closes the connection after it has processed them. */
async function deliver(upstream: Socket, chunks: readonly Buffer[]): Promise<void> {
  const closed = once(upstream, 'close');
  for (const chunk of chunks) upstream.write(chunk);
  upstream.end();
  upstream.resume();
  await closed;
}
