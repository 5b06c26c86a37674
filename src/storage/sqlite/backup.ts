import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Writes a consistent snapshot of a ledger to a file, also while gateways use the ledger. An earlier
 * file is replaced only when the snapshot is complete. Throws what SQLite and the file system throw.
 */
export function backUpLedger(ledger: string, file: string): void {
  const incomplete = `${file}.incomplete`;
  process.umask(0o077);
  try {
    rmSync(incomplete, { force: true });
    const database = new DatabaseSync(ledger, { readOnly: true });
    // Unlike SQLite's backup API, this does not start again when the gateway writes.
    database.prepare('VACUUM INTO ?').run(incomplete);
    database.close();
    const written = openSync(incomplete, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(incomplete, file);
  } finally {
    rmSync(incomplete, { force: true });
  }
}
