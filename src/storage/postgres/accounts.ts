import type { AccountStore } from '../../accounts/store.ts';
import { accountStore, type AccountStoreOptions, type RemoteTables } from '../account-store.ts';
import type { RemoteMethods } from '../tables.ts';
import { accountTables } from './account-tables.ts';
import type { Database } from './database.ts';
import { idempotencyTables } from './idempotency-tables.ts';
import { ledgerTables } from './ledger-tables.ts';
import type { Node } from './nodes.ts';
import { timeOf as timeOfClock } from './time-of.ts';

/** Keeps accounts in a database that many nodes share; `node` is this one. Its clock is the database's, unless a test brings one. */
export function postgresAccounts(database: Database, node: Pick<Node, 'id' | 'gone'>, options: AccountStoreOptions): AccountStore {
  const timeOf = timeOfClock(options.clock);
  const ledger = ledgerTables(database, timeOf, node);
  const tables: RemoteMethods = { ...accountTables(database, timeOf), ...ledger, ...idempotencyTables(database, timeOf) };
  const underWay = new Set<Promise<unknown>>();

  const call: RemoteTables['call'] = (method, ...args) => {
    const work = Reflect.apply(tables[method], tables, args);
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  };

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    await ledger.close();
  }

  return accountStore({ call, close }, options);
}
