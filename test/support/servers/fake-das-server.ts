import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** Returns the reply to a query, which is passed without its line end. */
export type DasScript = (query: string, socket: Socket) => string | Buffer | undefined;

/** A real availability service on its own port that records its queries, with their line ends. */
export interface FakeDasServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly queries: readonly string[];
  /** Number of connections that were opened. */
  readonly connections: number;
  /** Replaces the script of all further queries. */
  use(script: DasScript): void;
  /** Resolves when the server has received this many queries in total. */
  whenQueried(count: number): Promise<void>;
}

/**
 * Starts a server that sends what its script returns and closes the connection. A script that
 * returns undefined uses the socket itself.
 */
export async function startFakeDas(script: DasScript): Promise<FakeDasServer> {
  let current = script;
  let connections = 0;
  const queries: string[] = [];
  const sockets = new Set<Socket>();
  let waiting: { count: number; resolve: () => void }[] = [];
  const answer = (query: string, socket: Socket) => {
    queries.push(query);
    const reply = current(query.trimEnd(), socket);
    if (reply !== undefined) socket.end(reply);
    for (const { count, resolve } of waiting) if (queries.length >= count) resolve();
    waiting = waiting.filter(({ count }) => queries.length < count);
  };
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // the client may reset the connection
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      if (received.endsWith('\n')) answer(received, socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    queries,
    get connections() {
      return connections;
    },
    use: (next) => void (current = next),
    whenQueried: (count) =>
      queries.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => void waiting.push({ count, resolve })),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
