import { LedgerUnusable } from './accounts/store.ts';
import type { Clock } from './clock.ts';
import { ConfigError, type Config } from './config.ts';
import type { Log } from './log.ts';
import { openStores, StoreUnusable, type Stores } from './storage/open.ts';

/** Opens what the configuration names. Rejects with `ConfigError` where that cannot be used. */
export async function openConfiguredStores({ STORE_URL, FREE_CREDITS }: Config, clock: Clock, log: Log): Promise<Stores> {
  try {
    return await openStores(STORE_URL, { clock, freeCredits: FREE_CREDITS }, log);
  } catch (error) {
    throw error instanceof StoreUnusable || error instanceof LedgerUnusable ? new ConfigError(error.message) : error;
  }
}
