import type { AccountStore } from '../../../accounts/store.ts';
import {
  TableAccountStore,
  type AccountStoreOptions,
  type RemoteTables,
} from '../../account-store.ts';
import type { RemoteMethods, Tables } from '../../tables.ts';
import { accountTables } from './account-tables.ts';
import type { Database } from '../database/database.ts';
import { idempotencyTables } from './idempotency-tables.ts';
import { PostgresLedger } from './ledger-tables.ts';
import { timeOf as timeOfClock } from './time-of.ts';

/**
 * Keeps accounts in a database that many nodes share. Its clock is the database's, unless a test brings one. `onClose` runs once all calls have
 * ended.
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
  readonly #tables: RemoteMethods;
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
      accountTables(database, timeOf),
      idempotencyTables(database, timeOf),
    );
  }

  call<M extends keyof Tables>(
    method: M,
    ...args: Parameters<Tables[M]>
  ): Promise<ReturnType<Tables[M]>> {
    const call = Reflect.apply(this.#tables[method], this.#tables, args);
    this.#calls.add(call);
    const forget = () => this.#calls.delete(call);
    call.then(forget, forget);
    return call;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#calls);
    await this.#ledger.close();
    await this.#onClose?.();
  }
}
