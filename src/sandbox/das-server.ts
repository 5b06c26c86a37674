import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface SandboxDas {
  readonly port: number;
  /** Closes the server and all connections. May be called twice. */
  close(): Promise<void>;
}

const maxQueryLength = 300;

/** Statuses by the prefix of the label, in the words of the .lt registry. */
const statuses: Readonly<Record<string, string>> = {
  taken: 'registered',
  reserved: 'reserved',
  redemption: 'pendingDelete',
  pending: 'pendingRelease',
};

/**
 * Starts an availability service on a free loopback port. It has the format of the .lt registry:
 * the query is `get 1.0 NAME`, and the reply states the name and its status.
 */
export async function startSandboxDas(): Promise<SandboxDas> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    answer(socket);
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

function answer(socket: Socket): void {
  let query = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    query += text;
    if (query.length > maxQueryLength) socket.destroy();
    else if (query.includes('\n')) socket.end(replyTo(query));
  });
  // The client may disconnect at any time.
  socket.on('error', () => socket.destroy());
}

function replyTo(query: string): string {
  const [, name] = /^get 1\.0 (\S+)\s*$/.exec(query) ?? [];
  if (name === undefined) return '% Use: get 1.0 NAME\n';
  const [, status = 'available'] =
    Object.entries(statuses).find(([prefix]) => name.startsWith(prefix)) ?? [];
  return `% Availability service of the .test sandbox\nDomain: ${name}\nStatus: ${status}\n`;
}
