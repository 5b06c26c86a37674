import type { Socket } from 'node:net';

/** An HTTP proxy of the operator, and the hosts that are reached without it. */
export interface OutboundProxy {
  readonly url: URL;
  isDirect(host: string): boolean;
}

/** A proxy did not open a connection. The message completes the sentence "the proxy …". */
export class ProxyError extends Error {}

/**
 * Opens a connection to a host through a proxy with CONNECT (RFC 9110 section 9.3.6). Rejects with
 * `ProxyError`. `authority`: host and port, such as `rdap.example:443`.
 */
export function connectThrough(
  { url }: OutboundProxy,
  authority: string,
  timeoutMs: number,
): Promise<Socket> {
  const { request } = process.getBuiltinModule('node:http'); // as in `http-server.ts`
  return new Promise((resolve, reject) => {
    const connect = request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentialsOf(url) },
      agent: false,
      timeout: timeoutMs,
    });
    const fail = (reason: string) => {
      reject(new ProxyError(reason));
      connect.destroy();
    };
    connect.once('connect', ({ statusCode }, socket: Socket, head: Buffer) => {
      const refuse = (reason: string) => {
        // The request no longer owns the socket.
        socket.on('error', () => undefined);
        socket.destroy();
        fail(reason);
      };
      if (statusCode === 407) return refuse('asks for a user name and a password (407)');
      if (statusCode !== 200) return refuse(`refused the connection (${statusCode})`);
      socket.setTimeout(0);
      // Neither TLS nor HTTP servers speak first.
      if (head.length > 0) return refuse('sends data of its own');
      resolve(socket);
    });
    connect.once('response', ({ statusCode }) => fail(`answered CONNECT with ${statusCode}`));
    connect.once('timeout', () => fail(`did not respond within ${timeoutMs} ms`));
    connect.once('error', () => fail('could not be reached, or closed the connection'));
    connect.end();
  });
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
