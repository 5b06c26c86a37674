import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountStore } from '../../src/accounts/store.ts';
import { createLog } from '../../src/log.ts';
import type { SqlDatabase } from '../../src/shared/sql-database.ts';
import type { AccountStoreOptions } from '../../src/storage/account-store.ts';
import { openPostgresDatabase } from '../../src/storage/postgres/database.ts';
import { postgresAccounts, postgresSql } from '../../src/storage/postgres/open.ts';
import { memoryAccounts } from '../../src/storage/sqlite/accounts.ts';
import { memorySql, openSqlFile } from '../../src/storage/sqlite/sql-file.ts';
import { postgresMissing } from '../support/stores/postgres.ts';
import { sharedPostgres } from '../support/stores/shared-postgres.ts';

export type StoreKind = 'memory' | 'sqlite' | 'postgres';

/** A database of watches, and accounts beside it: those of PostgreSQL are in the same database. */
export interface OpenedStore extends SqlDatabase {
  accounts(options: AccountStoreOptions): AccountStore;
}

/** The stores of one test file. */
export interface Stores extends AsyncDisposable {
  /** Opens an empty database, or the one that a test opened last again: `again`. */
  open(kind: StoreKind, again?: boolean): Promise<OpenedStore>;
  /** Returns the path or URL of the database that was opened last. */
  place(kind: StoreKind): string;
}

export function openStores(): Stores {
  const folder = mkdtempSync(join(tmpdir(), 'watches-'));
  let opened = 0;
  let url = '';
  return {
    async open(kind, again = false) {
      if (kind === 'memory') return { ...methods(memorySql()), accounts: memoryAccounts };
      if (!again) opened += 1;
      if (kind === 'sqlite')
        return {
          ...methods(await openSqlFile(join(folder, `${opened}.db`))),
          accounts: memoryAccounts,
        };
      if (!again) url = await sharedPostgres.database();
      const database = await openPostgresDatabase(url, createLog('silent'), 10_000);
      return {
        ...postgresSql(database),
        accounts: (options) => postgresAccounts(database, options),
        close: () => database.close(),
      };
    },
    place: (kind) => (kind === 'postgres' ? url : join(folder, `${opened}.db`)),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Why a kind of store is unavailable on this machine, or undefined. */
export function missing(kind: StoreKind): string | undefined {
  return kind === 'postgres' ? postgresMissing : undefined;
}

/** Options of watches that send nothing to webhooks. */
export const withoutWebhooks = {
  sender: {
    check: async (url: string) => new URL(url).hostname,
    send: () => Promise.reject(new Error('Nothing is sent.')),
  },
  log: createLog('silent'),
  instruments: { webhookDelivery: () => undefined, change: () => undefined },
};

function methods(database: SqlDatabase): SqlDatabase {
  return {
    dialect: database.dialect,
    query: database.query,
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
  };
}
