import { join } from 'node:path';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { StoreOpenError } from '../storage/open.ts';
import { usageError } from './command-error.ts';
import { printLine, type Surroundings } from './surroundings.ts';

/**
 * The settings of lookups. Others are ignored: a variable such as `PORT` or `STORE_URL` may be meant
 * for another program, or for the gateway.
 */
const settings = [
  'RDAP_BOOTSTRAP_URL',
  'RDAP_OVERRIDES',
  'RDAP_LIMITS',
  'SOURCES_FILE',
  'OUTBOUND_PROXY',
  'OUTBOUND_DIRECT',
  'DNS_FIRST',
  'WHOIS',
  'RDAP_ALLOW_PRIVATE',
  'RDAP_TIMEOUT_MS',
  'QUEUE_TIMEOUT_MS',
  'RDAP_CONCURRENCY',
  'RDAP_RATE',
  'CLUSTER_SIZE',
  'MAX_LOOKUPS',
  'RECORD_DAYS',
  'SANDBOX',
];

/**
 * Opens what looks names up in this process, with the settings of the environment and a store in the
 * cache folder. If the folder cannot be used, the store is in memory. Rejects with `CommandError`.
 */
export async function openLocally<T>(
  { environment, cacheFolder, streams }: Surroundings,
  open: (config: Config) => Promise<T>,
): Promise<T> {
  const values = Object.fromEntries(settings.map((name) => [name, environment[name]]));
  const openAt = async (STORE_URL: string) => open(readConfig({ ...values, STORE_URL }));
  try {
    if (cacheFolder === undefined) return await openAt('memory:');
    return await openAt(`sqlite:${join(cacheFolder, 'gateway.db')}`).catch((error: unknown) => {
      if (!(error instanceof StoreOpenError)) throw error;
      const reason = `${String(error.cause)} (${cacheFolder})`;
      printLine(streams.stderr, `Answers are not cached: ${reason}`);
      return openAt('memory:');
    });
  } catch (error) {
    throw asUsageError(error);
  }
}

/** Returns the error of a command for an invalid setting, or the error. */
export function asUsageError(error: unknown): unknown {
  return error instanceof ConfigError ? usageError(error.message) : error;
}
