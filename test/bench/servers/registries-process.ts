import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { serveParent } from '../part.ts';
import {
  isTaken,
  type Counts,
  type RegistriesMessage,
  type RegistriesReady,
} from './registries.ts';
import { typicalObject } from './typical-answer.ts';

const { servers, latencyMs, misleading, large } = JSON.parse(process.argv[2] ?? '{}');
let counts = { names: 0, lists: 0 };
let list = '';

/** Writes a complete response. */
type Listener = (path: string, socket: Socket) => void;

const listUrl = await listening((_path, socket) => {
  counts.lists += 1;
  socket.write(
    answerOf('200 OK', 'application/json\r\ncache-control: max-age=86400\r\netag: "bench"', list),
  );
});
const baseUrls = await Promise.all(
  Array.from({ length: servers }, (_, index) =>
    listening(registry(misleading ? index - servers : 0)),
  ),
);
serveParent<RegistriesMessage>(
  { listUrl: `${listUrl}dns.json`, baseUrls } satisfies RegistriesReady,
  (message) => {
    if (message !== 'count') return void (list = JSON.stringify(message.publish));
    const counted: Counts = counts;
    counts = { names: 0, lists: 0 };
    return counted;
  },
);

/**
 * Opens a server on plain sockets that supports only the HTTP of the benchmark's clients: requests
 * without a body, one at a time per connection. A full HTTP server would take CPU time from the
 * measured programs on the same machine, and delay its own responses.
 */
async function listening(listener: Listener): Promise<string> {
  const server = createServer({ noDelay: true }, (socket) => {
    let head = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      head += text;
      if (!head.endsWith('\r\n\r\n')) return;
      const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
      head = '';
      listener(path, socket);
    });
    // The client has closed the connection.
    socket.on('error', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/**
 * Returns a registry. `place` counts from the end: -1 returns "not found" with a 200, -2 returns
 * only HTML.
 */
function registry(place: number): Listener {
  return (path, socket) => {
    counts.names += 1;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const html = place === -2;
    const taken = isTaken(name) && !html;
    const body = html
      ? '<h1>Not Found</h1>'
      : JSON.stringify(taken ? objectOf(name) : { errorCode: 404, title: 'Not Found' });
    const answer = answerOf(
      taken || place === -1 ? '200 OK' : '404 Not Found',
      html ? 'text/html' : 'application/rdap+json',
      body,
    );
    if (latencyMs > 0) setTimeout(() => socket.write(answer), latencyMs);
    else socket.write(answer);
  };
}

function objectOf(name: string): object {
  return large ? typicalObject(name) : domainObject(name);
}

function answerOf(status: string, type: string, body: string): string {
  // Like the gateway's own connections: none ends between two rounds.
  const keep = 'connection: keep-alive\r\nkeep-alive: timeout=60';
  return `HTTP/1.1 ${status}\r\n${keep}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
