import { readFileSync } from 'node:fs';
import type { Log } from '../../log.ts';

const defaultMaxConnections = 10_000;
/** File descriptors reserved for connections to registries, the store and the sandbox. */
const reservedFiles = 500;

/** Returns the maximum number of connections. Logs a warning if the open file limit lowers it. */
export function maxConnections(log: Log): number {
  const limit = openFileLimit();
  const max = maxConnectionsFor(limit);
  if (max < defaultMaxConnections) {
    log.warn(
      `Open file limit is ${limit}: at most ${max} connections are accepted. Raise it (LimitNOFILE, ulimit -n).`,
    );
  }
  return max;
}

/** Returns the maximum number of connections for an open file limit. */
export function maxConnectionsFor(limit: number): number {
  return Math.min(defaultMaxConnections, Math.max(limit - reservedFiles, Math.floor(limit / 2)));
}

/** Returns the open file limit of this process; Infinity if it cannot be read. */
function openFileLimit(): number {
  try {
    const softLimit = /^Max open files +(\d+)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )?.[1];
    return softLimit === undefined ? Infinity : Number(softLimit);
  } catch {
    return Infinity; // `/proc` exists only on Linux
  }
}
