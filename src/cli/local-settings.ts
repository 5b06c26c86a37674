import { join, isAbsolute } from 'node:path';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { StoreOpenError } from '../storage/open.ts';
import { usageError } from './command-error.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * The settings of lookups. Others are ignored: a variable such as `PORT` or `STORE_URL` may be meant
 * for another program, or for the gateway.
 */
const settings = [
  'RDAP_BOOTSTRAP_URL',
  'RDAP_OVERRIDES',
  'RDAP_LIMITS',
  'SOURCES_FILE',
  'DNS_FIRST',
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
  { environment, cacheFolder }: Surroundings,
  open: (config: Config) => Promise<T>,
): Promise<T> {
  const values = Object.fromEntries(settings.map((name) => [name, environment[name]]));
  const openAt = async (STORE_URL: string) => open(readConfig({ ...values, STORE_URL }));
  try {
    if (cacheFolder === undefined) return await openAt('memory:');
    return await openAt(`sqlite:${join(cacheFolder, 'gateway.db')}`).catch((error: unknown) => {
      if (!(error instanceof StoreOpenError)) throw error;
      console.error(`Answers are not cached: ${String(error.cause)} (${cacheFolder})`);
      return openAt('memory:');
    });
  } catch (error) {
    throw error instanceof ConfigError ? usageError(error.message) : error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder for this program in the user's cache folder: in `XDG_CACHE_HOME` (XDG Base
 * Directory Specification), or else in that of the platform. Returns undefined if the user has none.
 */
export function cacheFolder(
  platform: NodeJS.Platform,
  environment: Environment,
): string | undefined {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: localAppData, HOME: home } = environment;
  const parent = [xdg, platform === 'win32' ? localAppData : homeCache(platform, home)].find(
    // The specification requires relative paths to be ignored.
    (path) => path && isAbsolute(path),
  );
  return parent && join(parent, 'rdap-gateway');
}

function homeCache(platform: NodeJS.Platform, home: string | undefined): string | undefined {
  return home && join(home, platform === 'darwin' ? 'Library/Caches' : '.cache');
}
