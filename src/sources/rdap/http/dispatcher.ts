import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import { isPublicAddress } from './public-address.ts';
import { Connection } from './connection.ts';

/** Nothing that a registry sends is larger (measured: 50 KB); what is, is cut at once. */
export const maxBodyBytes = 1024 * 1024;

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

export interface DispatcherOptions {
  /** Private and loopback addresses may be connected to, not public ones alone. */
  readonly allowPrivate: boolean;
  /** Sockets to one origin. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** For tests with certificates of their own. */
  readonly ca?: string;
  /** For tests with names of their own; without it, the system's. */
  readonly resolve?: Resolve;
}

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Creates pools of kept-alive sockets, one per origin, for hosts that are contacted again and again. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const pool = { ...poolOptions(options), keepAliveTimeout: 30_000 };
  return new Agent({ factory: (origin) => new Pool(origin, pool) });
}

/**
 * Returns the options of a pool. A name is resolved once, every address is checked, and only checked ones are connected to: what DNS says a
 * moment later does not matter.
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
    // Sockets never resolve a literal, so the lookup above does not see it.
    if (isIP(literal) && !isAllowed(literal))
      callback(new ForbiddenAddressError(`${literal} is not a public address`), null);
    else connectChecked(options, callback);
  };
  return {
    factory: (origin, clientOptions) => new Connection(origin, { ...clientOptions, connect }),
    connections,
    pipelining: 1,
    allowH2: false,
    // The lookup's own signal is the deadline: undici's time-outs are coarse and a slow drip resets them.
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
      // One forbidden address spoils the name: a mixed answer is how rebinding starts.
      if (forbidden || !first)
        return callback(new ForbiddenAddressError(`${hostname} is not at a public address`), '', 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
