import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface TextServer {
  readonly port: number;
  /** Closes the server and all connections. May be called twice. */
  close(): Promise<void>;
}

const maxQueryLength = 300;

/**
 * Starts a server on a free loopback port that replies to one line per connection and then closes
 * the connection. `replyTo` takes the line without its end.
 */
export async function startTextServer(replyTo: (query: string) => string): Promise<TextServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    answer(socket, replyTo);
  }).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function answer(socket: Socket, replyTo: (query: string) => string): void {
  let query = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    query += text;
    if (query.length > maxQueryLength) socket.destroy();
    else if (query.includes('\n')) socket.end(replyTo(query.trim()));
  });
  // The client may disconnect at any time.
  socket.on('error', () => socket.destroy());
}
