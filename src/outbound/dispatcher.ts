import { isIP, type Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import { RegistryConnection } from './connection.ts';
import {
  checkedAddress,
  checkedLookup,
  ForbiddenAddressError,
  isPublicAddress,
  type Resolve,
} from './public-address.ts';

/**
 * Maximum size of a response body. The largest that was measured has 50 KB; larger ones are
 * aborted.
 */
export const maxBodyBytes = 1024 * 1024;

interface DispatcherOptions {
  /** Also allows connections to private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** Replaces the check of addresses. Behind a proxy, the host is resolved and checked here as well. */
  readonly isAllowed?: (address: string) => boolean;
  /** Maximum sockets per origin. */
  readonly connections: number;
  /** How long an idle socket stays open, whatever the server allows; 30 s by default. */
  readonly keepAliveMs?: number;
  readonly connectTimeoutMs: number;
  /** A CA certificate, for tests. */
  readonly ca?: string;
  /** Maximum size of a response body; `maxBodyBytes` by default. */
  readonly maxResponseBytes?: number;
  /** Maximum bytes that are received per request, headers and framing included. */
  readonly maxReceivedBytes?: number;
  /** Replaces `dns.lookup`. */
  readonly resolve?: Resolve;
  /** Returns the server of a host, whose address is not checked. Without one, it is found by DNS. */
  readonly serverOf?: (host: string, port: number) => SiteServer | 'none' | undefined;
  /** In OpenSSL's format; those of Node.js by default. */
  readonly ciphers?: string;
  /** Connections pass this proxy, which sees the addresses instead of the gateway. */
  readonly proxy?: OutboundProxy | undefined;
  /** Maximum size of the headers of a response, in bytes. Defaults to undici's. */
  readonly maxHeaderSize?: number;
}

/** A host has no server at a port. */
export class NoServerError extends Error {}

/**
 * How long the sockets of hosts that are not in the directory stay open: registrars, redirect targets
 * and sites. Most are contacted once, and their number is not bounded.
 */
export const ephemeralKeepAliveMs = 1000;

/** Creates a pool of keep-alive sockets per origin, which is dropped when its last socket closes. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { keepAliveMs } = options;
  const keepAlive =
    keepAliveMs === undefined
      ? { keepAliveTimeout: 30_000 }
      : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs };
  const pool = { ...poolOptions(options), ...keepAlive };

  return new Agent({ factory: (origin) => new Pool(origin, pool) });
}

/**
 * DHE is excluded: the server chooses its group, and one of 10,000 bits blocks the event loop for
 * more than a second.
 */
const siteCiphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** Creates the pools of sockets to sites, which the operator may map to servers. */
export function createSiteDispatcher(
  options: Required<Pick<DispatcherOptions, 'resolve' | 'serverOf'>>,
): Dispatcher {
  return createDispatcher({
    ...options,
    allowPrivate: false,
    connections: 2,
    connectTimeoutMs: 5000,
    keepAliveMs: ephemeralKeepAliveMs,
    ciphers: siteCiphers,
    maxReceivedBytes: 1024 * 1024,
    maxHeaderSize: 64 * 1024,
  });
}

/**
 * Returns the options of a pool. A name is resolved once per connection, every address is checked,
 * and only checked addresses are connected to, which prevents DNS rebinding.
 */
function poolOptions({
  allowPrivate,
  isAllowed: isChosen,
  connections,
  connectTimeoutMs,
  ca,
  maxResponseBytes = maxBodyBytes,
  maxReceivedBytes,
  resolve,
  serverOf = () => undefined,
  ciphers,
  maxHeaderSize,
  proxy,
}: DispatcherOptions): Pool.Options {
  const isAllowed = isChosen ?? (allowPrivate ? () => true : isPublicAddress);
  const tls = { allowH2: false, timeout: connectTimeoutMs, ...(ciphers && { ciphers }) };
  const connectChecked = buildConnector({
    ...tls,
    autoSelectFamily: true,
    lookup: checkedLookup(isAllowed, resolve),
    ...(ca && { ca }),
  });

  const connect: typeof connectChecked = (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const server = serverOf(literal, port);
    if (server) return connectNamed(server, tls, options, callback);

    if (proxy && !proxy.isDirect(literal)) {
      // A proxy that resolved a name itself could reach another address than the checked one.
      const host = isChosen
        ? checkedAddress(literal, isChosen).then((address) =>
            address.includes(':') ? `[${address}]` : address,
          )
        : Promise.resolve(options.hostname);
      const socketOf = (to: string) => connectThrough(proxy, `${to}:${port}`, connectTimeoutMs);

      host.then(socketOf).then(
        (socket) =>
          options.protocol === 'https:'
            ? connectChecked({ ...options, httpSocket: socket }, callback)
            : callback(null, socket),
        (error: Error) => callback(error, null),
      );

      return;
    }

    // Sockets do not resolve IP literals, so the lookup above does not check them.
    if (isIP(literal) && !isAllowed(literal))
      callback(new ForbiddenAddressError(`${literal} is not a public address`), null);
    else connectChecked(options, callback);
  };

  return {
    factory: (origin, clientOptions) =>
      new RegistryConnection(origin, { ...clientOptions, connect, maxReceivedBytes }),
    connections,
    pipelining: 1,
    allowH2: false,
    // `exchange` enforces the deadline: undici's timeouts are coarse, and a slow trickle of data
    // resets them.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxResponseBytes,
    ...(maxHeaderSize !== undefined && { maxHeaderSize }),
  };
}

type Connector = ReturnType<typeof buildConnector>;

function connectNamed(
  server: SiteServer | 'none',
  tls: buildConnector.BuildOptions,
  options: Parameters<Connector>[0],
  callback: Parameters<Connector>[1],
): void {
  if (server === 'none')
    return callback(new NoServerError(`${options.hostname} has no server`), null);

  const { address, port, ca } = server;
  const connect = buildConnector({ ...tls, ...(ca && { ca }) });
  const servername = isIP(options.hostname) ? '' : options.hostname;

  connect(
    { ...options, hostname: address, host: address, port: String(port), servername },
    callback,
  );
}

/** Where a server of a site accepts connections. */
export interface SiteServer {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** The CA certificates that verify the server, in PEM; those of Node.js by default. */
  readonly ca?: string;
}

/**
 * Returns the server of a host at a default port if the operator sets it. `none`: the
 * host has no server at this port. Undefined: the server is found by DNS, and must have a public
 * address.
 */
export type SiteServerOf = (host: string, port: 80 | 443) => SiteServer | 'none' | undefined;

/** An HTTP proxy of the operator, and the hosts that are reached without it. */
export interface OutboundProxy {
  readonly url: URL;
  isDirect(host: string): boolean;
}

/** A proxy did not open a connection. The message completes the sentence "the proxy …". */
export class ProxyError extends Error {}

/**
 * Opens a connection to a host through a proxy with CONNECT (RFC 9110 section 9.3.6). Rejects with
 * `ProxyError`, also if the proxy has not answered completely in time. `authority`: host and port,
 * such as `rdap.example:443`.
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
    });

    // The `timeout` of a request starts again with each octet.
    const deadline = setTimeout(() => fail(`did not respond within ${timeoutMs} ms`), timeoutMs);
    connect.once('close', () => clearTimeout(deadline));

    const fail = (reason: string) => {
      reject(new ProxyError(reason));
      connect.destroy();
    };

    connect.once('connect', ({ statusCode }, socket: Socket, head: Buffer) => {
      clearTimeout(deadline);
      const refuse = (reason: string) => {
        // The request no longer owns the socket.
        socket.on('error', () => undefined);
        socket.destroy();
        fail(reason);
      };

      if (statusCode === 407) return refuse('asks for a user name and a password (407)');
      if (statusCode !== 200) return refuse(`refused the connection (${statusCode})`);

      // Neither TLS nor HTTP servers speak first.
      if (head.length > 0) return refuse('sends data of its own');

      resolve(socket);
    });
    connect.once('response', ({ statusCode }) => fail(`answered CONNECT with ${statusCode}`));
    connect.once('error', () => fail('could not be reached, or closed the connection'));
    connect.end();
  });
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
