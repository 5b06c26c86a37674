import { readdirSync, readFileSync } from 'node:fs';

/**
 * Reads the SQL migrations of a folder whose names begin with `prefix`, in order. New ones are added;
 * released ones do not change, except that those of PostgreSQL no longer create what a later one
 * drops.
 */
export function readMigrations(folder: URL, prefix = ''): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.sql'))
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}
