import { readFileSync } from 'node:fs';

/** Files and sockets beside the callers' connections: registries, the store, the built-in registry. */
const otherFiles = 500;

/** Returns how many connections may be open with a limit of open files; at most `most`. */
export function maxConnectionsFor(limit: number, most: number): number {
  return Math.min(most, Math.max(limit - otherFiles, Math.floor(limit / 2)));
}

/** Reads how many files and sockets this process may have open; Infinity where the system does not say. */
export function openFileLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity; // no Linux
  }
}
