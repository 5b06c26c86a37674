import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadEnvFile, readConfig } from '../../config.ts';
import { answersPath, isMissing, isPostgres, ledgerPath, watchesPath } from '../../storage/open.ts';
import { backUpDatabase } from '../../storage/sqlite/open.ts';
import { CommandError, usageError, exitCodes } from '../command-error.ts';
import { asUsageError } from '../local-settings.ts';
import { printLine, type Surroundings } from '../surroundings.ts';

/**
 * Writes consistent snapshots of the ledger at `STORE_URL` to a file, and of its watches to a file
 * beside it. They replace earlier ones only when they are complete. Works while gateways use the ledger. Throws `CommandError`.
 */
export function backup(file: string, { environment, streams }: Surroundings): 0 {
  const ledger = ledgerOf(file, environment);
  const watches = watchesPath(ledger);
  const written = existsSync(watches) ? [file, watchesPath(file)] : [file];
  try {
    if (existsSync(watches)) backUpDatabase(watches, watchesPath(file));
    backUpDatabase(ledger, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      exitCodes.taken,
      `The backup failed, and ${file} is unchanged: ${reason}`,
    );
  }

  printLine(streams.stdout, `Backed up ${ledger} to ${written.join(' and ')}.`);
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

  const used = [ledger, watchesPath(ledger), answersPath(ledger)].map(realPath);
  for (const written of [file, watchesPath(file)])
    if (used.includes(realPath(written)))
      throw usageError(`${written} is a file of the store. Choose another FILE.`);

  return ledger;
}

/** Returns a path without symbolic links, so that two paths of one file are equal. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

function storeUrlOf(environment: Surroundings['environment']): string {
  try {
    loadEnvFile();
    return readConfig(environment).STORE_URL;
  } catch (error) {
    throw asUsageError(error);
  }
}
