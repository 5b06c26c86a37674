import { LedgerOpenError, maintainReservations } from '../accounts/store.ts';
import { scheduleExpiry } from '../registries/cache/freshness.ts';
import type { Clock } from '../clock.ts';
import { ConfigError, type Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openStores, StoreOpenError, type Stores } from '../storage/open.ts';
import type { Common } from './common.ts';

/** Opens the configured stores. Rejects with `ConfigError` if they cannot be used. */
export async function openConfiguredStores(
  { STORE_URL, FREE_CREDITS }: Config,
  clock: Clock,
  log: Log,
): Promise<Stores> {
  try {
    return await openStores(STORE_URL, { clock, freeCredits: FREE_CREDITS }, log);
  } catch (error) {
    throw error instanceof StoreOpenError || error instanceof LedgerOpenError
      ? new ConfigError(error.message)
      : error;
  }
}

/**
 * Opens the stores unless they exist, and schedules the deletion of expired answers and the refund
 * of expired reservations.
 */
export async function buildStores(
  { config, clock, log, disposables }: Common,
  existing: Stores | undefined,
): Promise<Stores> {
  const stores = disposables.adopt(
    existing ?? (await openConfiguredStores(config, clock, log)),
    (opened) => opened.close(),
  );
  disposables.defer(scheduleExpiry(stores.answers, config.RECORD_DAYS, clock, log));
  disposables.defer(maintainReservations(stores.accounts, clock, log));

  return stores;
}
