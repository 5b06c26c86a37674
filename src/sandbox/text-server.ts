import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { whoisControlName } from './names.ts';

const maxQueryLength = 300;

/**
 * Starts a server on a free loopback port that replies to one line per connection and then closes
 * the connection. `replyTo` takes the line without its end.
 */
export async function startTextServer(replyTo: (query: string) => string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    answer(socket, replyTo);
  }).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    /** Closes the server and all connections. May be called twice. */
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

/** Statuses by the prefix of the label, in the words of the .lt registry. */
const statuses: Readonly<Record<string, string>> = {
  taken: 'registered',
  reserved: 'reserved',
  redemption: 'pendingDelete',
  pending: 'pendingRelease',
};

/**
 * Returns the reply of the availability service, which has the format of the .lt registry: the query
 * is `get 1.0 NAME`, and the reply states the name and its status.
 */
export function sandboxDasReply(query: string): string {
  const [, name] = /^get 1\.0 (\S+)$/.exec(query) ?? [];
  if (name === undefined) return '% Use: get 1.0 NAME\n';
  const [, status = 'available'] =
    Object.entries(statuses).find(([prefix]) => name.startsWith(prefix)) ?? [];
  return `% Availability service of the .test sandbox\nDomain: ${name}\nStatus: ${status}\n`;
}

const header = '% WHOIS server of the .test sandbox\n\n';

/**
 * Returns the reply of the WHOIS server, which has the format of the .ru registry. The prefix of the
 * label selects it: `taken` is registered, `busy` is refused, and `unclear` is in another format.
 */
export function sandboxWhoisReply(name: string): string {
  if (name.startsWith('taken') || name === whoisControlName)
    return `${header}domain: ${name.toUpperCase()}\n${registration}`;
  if (name.startsWith('busy')) return 'You have exceeded allowed connection rate.\n';
  if (name.startsWith('unclear')) return `${header}No object matches the query.\n`;
  return `${header}No entries found for the selected source(s).\n`;
}

const registration = `nserver: ns1.example-dns.test.
state: REGISTERED, NOT DELEGATED, VERIFIED
registrar: SANDBOX-REGISTRAR
person: Private Person
e-mail: someone@example.test
created: 2001-02-03T04:05:06Z
paid-till: 2099-02-03T04:05:06Z
`;
