import { resolve } from 'node:path';
import { ConfigError, loadEnvFile, readConfig } from '../config.ts';
import { isMissing, isPostgres, ledgerPath } from '../storage/open.ts';
import { backUpLedger } from '../storage/sqlite/open.ts';
import { CommandError, usageError } from './command-error.ts';
import { exitCodes } from './exit-codes.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Writes a consistent snapshot of the ledger at `STORE_URL` to a file, which replaces an earlier one
 * only when it is complete. Works while gateways use the ledger. Throws `CommandError`.
 */
export function backup(file: string, { environment }: Surroundings): 0 {
  const ledger = ledgerOf(file, environment);
  try {
    backUpLedger(ledger, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      exitCodes.taken,
      `The backup failed, and ${file} is unchanged: ${reason}`,
    );
  }
  console.log(`Backed up ${ledger} to ${file}.`);
  return 0;
}

function ledgerOf(file: string, environment: Surroundings['environment']): string {
  const storeUrl = storeUrlOf(environment);
  if (storeUrl === 'memory:') throw usageError('STORE_URL is memory:, which has no backup.');
  if (isPostgres(storeUrl))
    throw usageError(
      `STORE_URL is a PostgreSQL database, which this command does not back up. Run: pg_dump --format=custom --file=${file} "$STORE_URL"`,
    );
  const ledger = ledgerPath(storeUrl);
  if (isMissing(storeUrl))
    throw usageError(`STORE_URL is ${storeUrl}, but the file does not exist.`);
  if (resolve(file) === resolve(ledger))
    throw usageError('FILE is the ledger itself. Choose another file.');
  return ledger;
}

function storeUrlOf(environment: Surroundings['environment']): string {
  try {
    loadEnvFile();
    return readConfig(environment).STORE_URL;
  } catch (error) {
    throw error instanceof ConfigError ? usageError(error.message) : error;
  }
}
