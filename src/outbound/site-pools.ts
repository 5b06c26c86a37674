import { DEFAULT_CIPHERS } from 'node:tls';
import { EphemeralPools } from './ephemeral-pools.ts';
import type { DispatcherOptions } from './dispatcher.ts';

/**
 * DHE is excluded: the server chooses its group, and one of 10,000 bits blocks the event loop for
 * more than a second.
 */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** Creates the pools of sockets to sites, which the operator may map to servers. */
export function sitePools(
  options: Required<Pick<DispatcherOptions, 'resolve' | 'serverOf'>>,
): EphemeralPools {
  return new EphemeralPools({
    ...options,
    allowPrivate: false,
    connections: 2,
    connectTimeoutMs: 5000,
    ciphers,
    maxReceivedBytes: 1024 * 1024,
    maxHeaderSize: 64 * 1024,
  });
}
