// WHOIS servers on loopback ports: `whois-servers-process.ts SERVERS LATENCY_MS`. The last three fail
// as real ones do: one has lost its data, one refuses every query, one accepts no connection.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { serveParent } from '../part.ts';
import { isTaken } from './registries.ts';

const [servers, latencyMs] = process.argv.slice(2).map(Number);
let queries = 0;
const ports: number[] = [];
for (let index = 0; index < (servers ?? 0); index += 1) {
  const left = (servers ?? 0) - index;
  const server = createServer((socket) => void answer(socket, left)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.push((server.address() as AddressInfo).port);
  if (left === 1) server.close();
}
serveParent(
  ports.map((port) => `127.0.0.1:${port}`),
  () => {
    const counted = queries;
    queries = 0;
    return counted;
  },
);

async function answer(socket: Socket, left: number): Promise<void> {
  socket.on('error', () => undefined);
  const [line] = (await once(socket, 'data')) as [Buffer];
  queries += 1;
  setTimeout(() => socket.end(replyTo(String(line).trim(), left)), latencyMs);
}

/** Registers names of searches and samples, but no random name of a control. */
const isRegistered = (name: string) => /^(?:mostly|held|nic\.)/.test(name) && isTaken(name);

function replyTo(name: string, left: number): string {
  if (left === 2) return 'Query rate exceeded. Try again later.\r\n';
  if (left === 3 || !isRegistered(name)) return `No match for ${name}\r\n>>> Last update <<<\r\n`;
  return `Domain Name: ${name}\r\nRegistrar: Example Inc.\r\nCreation Date: 2020-01-01T00:00:00Z\r\nName Server: ns1.example.net\r\n`;
}
