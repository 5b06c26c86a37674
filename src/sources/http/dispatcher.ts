import { isIP } from 'node:net';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import {
  checkedLookup,
  ForbiddenAddressError,
  isPublicAddress,
  type Resolve,
} from '../../public-address.ts';
import { RegistryConnection } from './connection.ts';

/**
 * Maximum size of a response body. The largest that was measured has 50 KB; larger ones are
 * aborted.
 */
export const maxBodyBytes = 1024 * 1024;

export interface DispatcherOptions {
  /** Also allows connections to private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** Maximum sockets per origin. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** A CA certificate, for tests. */
  readonly ca?: string;
  /** Replaces the system's resolver, for tests. */
  readonly resolve?: Resolve;
}

/** Creates a pool of keep-alive sockets per origin, for hosts that are contacted repeatedly. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const pool = { ...poolOptions(options), keepAliveTimeout: 30_000 };
  return new Agent({ factory: (origin) => new Pool(origin, pool) });
}

/**
 * Returns the options of a pool. A name is resolved once per connection, every address is checked,
 * and only checked addresses are connected to, which prevents DNS rebinding.
 */
export function poolOptions({
  allowPrivate,
  connections,
  connectTimeoutMs,
  ca,
  resolve,
}: DispatcherOptions): Pool.Options {
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const connectChecked = buildConnector({
    allowH2: false,
    autoSelectFamily: true,
    lookup: checkedLookup(isAllowed, resolve),
    timeout: connectTimeoutMs,
    ...(ca && { ca }),
  });
  const connect: typeof connectChecked = (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    // Sockets do not resolve IP literals, so the lookup above does not check them.
    if (isIP(literal) && !isAllowed(literal))
      callback(new ForbiddenAddressError(`${literal} is not a public address`), null);
    else connectChecked(options, callback);
  };
  return {
    factory: (origin, clientOptions) =>
      new RegistryConnection(origin, { ...clientOptions, connect }),
    connections,
    pipelining: 1,
    allowH2: false,
    // `exchange` enforces the deadline: undici's timeouts are coarse, and a slow trickle of data
    // resets them.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBodyBytes,
  };
}
