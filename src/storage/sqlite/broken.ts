import { existsSync, renameSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import { NewerSchema } from './open.ts';

/** True when the file itself is at fault, so that the next attempt would fail as well; false for a full disk or a lock. */
export function isBroken(error: unknown): boolean {
  // What was written as JSON and reads as something else was damaged on the disk: SQLite has no checksums.
  if (error instanceof NewerSchema || error instanceof SyntaxError) return true;
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return false;
  return brokenCodes.has(error.errcode & 0xff); // the rest of an extended code tells the details
}

/** Renames a database file so that its path is free; its logs go with it, or nobody could read it. Returns the new name. */
export function setAside(path: string): string {
  const newPath = `${path}.broken-${systemClock.now()}`;
  for (const part of ['', '-wal', '-shm']) if (existsSync(path + part)) renameSync(path + part, newPath + part);
  return newPath;
}

const brokenCodes = new Set([
  1, // SQLITE_ERROR: our statements do not fit its tables, which are somebody else's
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]);
