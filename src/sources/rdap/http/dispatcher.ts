import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import { isPublicAddress } from '../../../public-address.ts';
import { RegistryConnection } from './connection.ts';

/**
 * Maximum size of a response body. The largest that was measured has 50 KB; larger ones are
 * aborted.
 */
export const maxBodyBytes = 1024 * 1024;

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

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

/** Resolves a name to all its addresses, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

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
  resolve = systemLookup,
}: DispatcherOptions): Pool.Options {
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const connectChecked = buildConnector({
    allowH2: false,
    autoSelectFamily: true,
    lookup: checkedLookup(resolve, isAllowed),
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

function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const forbidden = addresses.find(({ address }) => !isAllowed(address));
      const [first] = addresses;
      // One forbidden address rejects the name: rebinding attacks start with mixed answers.
      if (forbidden || !first)
        return callback(
          new ForbiddenAddressError(`${hostname} does not have a public address`),
          '',
          0,
        );
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
