import { randomUUID } from 'node:crypto';
import type { AccountStore } from '../../accounts/store.ts';
import type { Leases } from '../../cache/leases.ts';
import type { AnswerStore } from '../../cache/store.ts';
import { createLog, type Log } from '../../log.ts';
import type { Fleet } from '../../registries/fleet.ts';
import type { AccountStoreOptions } from '../account-store.ts';
import { postgresAccounts } from './accounts.ts';
import { postgresAnswers } from './answers.ts';
import { openDatabase, type Database } from './database.ts';
import { postgresFleet } from './fleet.ts';
import { postgresLeases } from './leases.ts';
import { joinNodes } from './nodes.ts';

export interface PostgresStores {
  readonly answers: AnswerStore;
  readonly accounts: AccountStore;
  readonly fleet: Fleet;
  readonly leases: Leases;
  readonly database: Pick<Database, 'away'>;
  close(): Promise<void>;
}

/** Opens all that a node keeps in PostgreSQL, and joins the nodes that are there. Rejects with `LedgerUnusable`. */
export async function openPostgresStores(url: string, options: AccountStoreOptions, log: Log): Promise<PostgresStores> {
  const database = await openDatabase(url, log);
  const node = joinNodes(database, log);
  const accounts = postgresAccounts(database, node, options);
  node.live(async () => {
    const reservations = await accounts.refundDangling();
    if (reservations > 0) log.warn({ reservations }, 'gave back credits that a node which died had set aside');
  });
  const answers = postgresAnswers(database, log);
  return {
    answers,
    accounts,
    fleet: postgresFleet(database, node, log),
    leases: postgresLeases(database, log),
    database,
    async close() {
      await accounts.close();
      await answers.close();
      await node.leave();
      await database.close();
    },
  };
}

/** Opens the accounts alone, for somebody who serves nobody and may wait. Rejects with `LedgerUnusable`. */
export async function openPostgresAccounts(url: string, options: AccountStoreOptions): Promise<AccountStore> {
  const database = await openDatabase(url, createLog('silent'), patienceMs);
  const accounts = postgresAccounts(database, { id: randomUUID(), gone: () => [] }, options);
  return {
    ...accounts,
    async close() {
      await accounts.close();
      await database.close();
    },
  };
}

const patienceMs = 10_000;
