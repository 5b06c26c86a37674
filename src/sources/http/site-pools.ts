import { EphemeralPools } from './ephemeral-pools.ts';
import type { DispatcherOptions } from './dispatcher.ts';

/** Creates the pools of sockets to sites, which the operator may map to servers. */
export function sitePools(
  options: Required<Pick<DispatcherOptions, 'resolve' | 'serverOf'>>,
): EphemeralPools {
  return new EphemeralPools({
    ...options,
    allowPrivate: false,
    connections: 2,
    connectTimeoutMs: 5000,
    maxHeaderSize: 64 * 1024,
  });
}
