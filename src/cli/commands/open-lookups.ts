import { join } from 'node:path';
import { usageError } from '../command-error.ts';
import type { CommandOptions } from '../command-line.ts';
import type { Lookups } from '../lookups/lookups.ts';

/** Where a command runs. */
export interface Surroundings {
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for cached answers; undefined if there is none. */
  readonly cacheFolder: string | undefined;
}

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

/** Opens lookups in this process, or through the gateway of `--server`. Rejects with `CommandError`. */
export async function openLookups(
  { server, key }: CommandOptions,
  surroundings: Surroundings,
): Promise<Lookups> {
  if (server !== undefined) {
    const { ServerLookups } = await import('../lookups/server-lookups.ts');
    return new ServerLookups({ url: readServer(server), key: readKey(key) });
  }
  if (key !== undefined) throw usageError('--key requires --server.');
  return openLocal(surroundings);
}

async function openLocal({ environment, cacheFolder }: Surroundings): Promise<Lookups> {
  const [{ LocalLookups }, { ConfigError, readConfig }, { StoreOpenError }] = await Promise.all([
    import('../lookups/local-lookups.ts'),
    import('../../config.ts'),
    import('../../storage/open.ts'),
  ]);
  const open = (STORE_URL: string) => {
    const values = settings.map((name) => [name, environment[name]] as const);
    return LocalLookups.open(readConfig({ ...Object.fromEntries(values), STORE_URL }));
  };
  try {
    if (cacheFolder === undefined) return await open('memory:');
    return await open(`sqlite:${join(cacheFolder, 'gateway.db')}`).catch((error: unknown) => {
      if (!(error instanceof StoreOpenError)) throw error;
      console.error(`Answers are not cached: ${String(error.cause)} (${cacheFolder})`);
      return open('memory:');
    });
  } catch (error) {
    throw error instanceof ConfigError ? usageError(error.message) : error;
  }
}

function readServer(text: string): URL {
  const url = URL.parse(text.replace(/\/*$/, '/'));
  if (url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text)) return url;
  throw usageError(
    `--server must be an http: or https: URL without a query, such as http://127.0.0.1:4000; got ${JSON.stringify(text)}.`,
  );
}

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('--key must be an API key, which consists of ASCII characters without spaces.');
}
