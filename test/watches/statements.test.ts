import { expect, it } from 'vitest';
import type { SqlDatabase, SqlQuery } from '../../src/shared/sql-database.ts';
import { memorySql } from '../../src/storage/sqlite/sql-file.ts';
import { sharedAccount } from '../../src/watches/types.ts';
import { Watches } from '../../src/watches/watches.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { withoutWebhooks } from './stores.ts';

it('has as many SQL statements, which SQLite keeps, whatever is watched how often', async () => {
  const statements = new Set<string>();
  const clock = manualClock();
  await using database = recording(memorySql(), statements);
  const watches = new Watches({
    ...withoutWebhooks,
    database,
    ledger: {} as never,
    directory: { resolve: () => ({}) as never },
    clock,
    onDue: () => undefined,
  });
  await watches.changeLog.open();
  const { id } = await watches.webhooks.create(sharedAccount, 'https://example.com/');

  async function useAll(name: string): Promise<void> {
    clock.advance(1000);
    await database.transaction((query) => watches.changeLog.append(query, name, [difference]));
    const after = await watches.head();
    for (const rotateSecret of [true, false]) {
      await watches.watch(sharedAccount, [name], 'shop');
      await watches.changes(sharedAccount, { after, domain: name, types: ['EXPIRY'] }, 10);
      await watches.webhooks.update(sharedAccount, id, { types: ['EXPIRY'], after, rotateSecret });
      await watches.webhooks.update(sharedAccount, id, { rotateSecret });
      await watches.names.unwatch(sharedAccount, [name]);
    }
  }

  await useAll('a.example');
  const before = statements.size;
  for (const name of ['a.example', 'b.example', 'a.example']) await useAll(name);
  expect(statements.size).toBe(before);
});

const difference = {
  type: 'EXPIRY',
  notBefore: 0,
  seenAt: 0,
  before: {},
  after: {},
  evidence: null,
} as never;

/** Adds the texts of all statements to `statements`. */
function recording(database: SqlDatabase, statements: Set<string>): SqlDatabase & AsyncDisposable {
  const recorded =
    (query: SqlQuery): SqlQuery =>
    (sql, params) => {
      statements.add(sql);
      return query(sql, params);
    };
  return {
    dialect: database.dialect,
    query: recorded(database.query),
    transaction: (work) => database.transaction((query) => work(recorded(query))),
    close: () => database.close(),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
