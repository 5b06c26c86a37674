import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a server on this machine, which a test spoils. */
export interface FlakyProxy extends AsyncDisposable {
  /** The URL with this wire in the place of its own. */
  readonly url: string;
  /** From now on nothing that the server says comes through; it goes on reading. */
  goDeaf(): void;
  /** From now on nothing that is said comes to the server. Returns the way to deliver it after all; that settles when the server is done with it. */
  hold(): () => Promise<void>;
  /** From now on all comes through, on new connections. */
  mend(): void;
}

export async function startFlakyProxy(url: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  // What was said to the server, connection by connection, and waits.
  const held = new Map<Socket, Buffer[]>();
  let deaf = false;
  let holding = false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // Ends are told by `close`.
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk: Buffer) => {
      if (holding) held.set(upstream, [...(held.get(upstream) ?? []), chunk]);
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!deaf) client.write(chunk);
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
    goDeaf: () => void (deaf = true),
    hold() {
      holding = true;
      return async () =>
        void (await Promise.all(Array.from(held, ([upstream, said]) => deliver(upstream, said))));
    },
    mend() {
      deaf = false;
      holding = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The server hangs up once it has done what was said and heard that no more comes. */
async function deliver(upstream: Socket, said: readonly Buffer[]): Promise<void> {
  const closed = once(upstream, 'close');
  for (const chunk of said) upstream.write(chunk);
  upstream.end();
  upstream.resume();
  await closed;
}
