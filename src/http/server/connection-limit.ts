import { readFileSync } from 'node:fs';
import type { Log } from '../../log.ts';

const defaultMaxConnections = 10_000;
/** Files and sockets beside the callers' connections: registries, the store, the built-in registry. */
const reservedFiles = 500;

/** Returns how many connections are accepted, and warns if the limit of open files allows fewer than usual. */
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

/** Returns how many connections may be open with a limit of open files. */
export function maxConnectionsFor(limit: number): number {
  return Math.min(defaultMaxConnections, Math.max(limit - reservedFiles, Math.floor(limit / 2)));
}

/** Reads how many files and sockets this process may have open; Infinity where the system does not say. */
function openFileLimit(): number {
  try {
    const softLimit = /^Max open files +(\d+)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )?.[1];
    return softLimit === undefined ? Infinity : Number(softLimit);
  } catch {
    return Infinity; // no Linux
  }
}
