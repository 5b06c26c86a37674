import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/**
 * How a proxy answers CONNECT. `garbage` is sent in place of the server's bytes; `deny` leaves the
 * connection open; `drip` sends a head that never ends.
 */
export type ProxyBehavior = 'pass' | 'deny' | 'refuse' | 'hang' | 'drip' | 'garbage' | 'close';

/** A real HTTP proxy on a local port. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** The host and port of each CONNECT request. */
  readonly authorities: string[];
  behavior: ProxyBehavior;
  /** Returns the number of open connections from clients. */
  openConnections(): Promise<number>;
  /** Resets all connections. */
  reset(): void;
}

/** Starts a proxy, which requires these credentials if they are given. */
export async function startHttpProxy(credentials?: string): Promise<HttpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    proxy.authorities.push(url);
    client.on('error', () => undefined);
    client.on('end', () => client.end());
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected && headers['proxy-authorization'] !== expected)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (proxy.behavior === 'deny')
      return client.resume().write('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (proxy.behavior === 'refuse') return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    if (proxy.behavior === 'close') return client.destroy();
    if (proxy.behavior === 'hang') return undefined;
    if (proxy.behavior === 'drip') {
      client.write('HTTP/1.1 200 OK\r\nx: ');
      const drip = setInterval(() => client.write('x'), 50);
      return client.on('close', () => clearInterval(drip));
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (proxy.behavior === 'garbage') return client.write('not the response of a registry\r\n\r\n');
    const [, host = '', port] = /^(.*):(\d+)$/.exec(url) ?? [];
    const upstream = connect(Number(port), host.replace(/^\[|\]$/g, ''));
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    return client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const user = credentials ? `${credentials}@` : '';
  const proxy: HttpProxy = {
    url: `http://${user}127.0.0.1:${port}`,
    authorities: [],
    behavior: 'pass',
    openConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    reset: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
