import type { AccountStore } from '../../accounts/store.ts';
import {
  TableAccountStore,
  type AccountStoreOptions,
  type RemoteTables,
} from '../account-store.ts';
import type { AsyncTables, Tables } from '../tables.ts';
import { postgresAccountTables } from './account-tables.ts';
import type { Database } from './database.ts';
import { postgresIdempotencyTables } from './account-tables.ts';
import { PostgresLedger } from './ledger-tables.ts';
import { timeOf as timeOfClock } from './time-of.ts';

/**
 * Creates an account store in a database that several nodes share. It uses the database's clock
 * unless a test supplies one. `onClose` runs after all calls have completed.
 */
export function postgresAccounts(
  database: Database,
  options: AccountStoreOptions,
  onClose?: () => Promise<void>,
): AccountStore {
  return new TableAccountStore(new PostgresTables(database, options, onClose), options);
}

class PostgresTables implements RemoteTables {
  readonly #ledger: PostgresLedger;
  readonly #tables: AsyncTables;
  readonly #calls = new Set<Promise<unknown>>();

  readonly #onClose: (() => Promise<void>) | undefined;

  constructor(
    database: Database,
    { clock }: AccountStoreOptions,
    onClose: (() => Promise<void>) | undefined,
  ) {
    this.#onClose = onClose;
    const timeOf = timeOfClock(clock);
    this.#ledger = new PostgresLedger(database, timeOf);
    this.#tables = Object.assign(
      this.#ledger,
      postgresAccountTables(database, timeOf),
      postgresIdempotencyTables(database, timeOf),
    );
  }

  call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>> {
    const call = Reflect.apply(this.#tables[method], this.#tables, args);
    this.#calls.add(call);
    const remove = () => this.#calls.delete(call);
    call.then(remove, remove);
    return call;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#calls);
    await this.#ledger.close();
    await this.#onClose?.();
  }
}
