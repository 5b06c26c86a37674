import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerStore } from '../../../src/registries/cache/store.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { createLog } from '../../../src/log.ts';
import { PostgresAnswers } from '../../../src/storage/postgres/answers.ts';
import { openPostgresDatabase, type Database } from '../../../src/storage/postgres/database.ts';
import {
  alpha,
  beta,
  availableAnswer,
  registeredAnswer,
  verdictOf,
} from '../contracts/sample-answers.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFleet } from '../../support/gateways/fleet.ts';
import type { Gateway, Json } from '../../support/gateways/gateway.ts';
import { postgresMissing, startPostgres } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered } from '../../support/bodies/replies.ts';
import { sql, untilFound } from '../../support/stores/sql.ts';

const log = createLog('silent');
const firstMigration = new URL(
  '../../../src/storage/postgres/migrations/001-init.sql',
  import.meta.url,
);

describe.skipIf(postgresMissing)(
  `answers in PostgreSQL${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  () => {
    let cleanup: AsyncDisposableStack;
    let storeUrl: string;
    beforeEach(async () => {
      cleanup = new AsyncDisposableStack();
      storeUrl = await sharedPostgres.database();
    });
    afterEach(() => cleanup.disposeAsync());

    /** Opens the answer store as another process. */
    async function open(): Promise<{ store: AnswerStore; database: Database }> {
      const database = cleanup.adopt(await openPostgresDatabase(storeUrl, log), (opened) =>
        opened.close(),
      );
      return {
        store: cleanup.adopt(new PostgresAnswers(database, log), (opened) => opened.close()),
        database,
      };
    }

    it('are visible to every process as soon as they are written', async () => {
      const [{ store }, { store: other }] = [await open(), await open()];
      await store.putAnswer(registeredAnswer(alpha, 1));
      expect([...(await other.getAnswers([alpha, beta], 'registration')).values()]).toEqual([
        registeredAnswer(alpha, 1),
      ]);
    });

    it('can be written by several processes concurrently, in any order, without deadlocks', async () => {
      const stores = [(await open()).store, (await open()).store, (await open()).store];
      const names = Array.from({ length: 100 }, (_, index) =>
        parseDomainName(`name-${index}.example`),
      );
      for (let round = 0; round < 5; round += 1) {
        const orders = [names, names.toReversed(), names.toSorted(() => Math.random() - 0.5)];
        await Promise.all(
          stores.flatMap(
            (store, index) =>
              orders[index]?.map((name) =>
                store.putAnswer(registeredAnswer(name, round * 3 + index)),
              ) ?? [],
          ),
        );
      }
      const stored = await stores[0]?.getAnswers(names, 'registration');
      expect(new Set(Array.from(stored?.values() ?? [], ({ checkedAt }) => checkedAt))).toEqual(
        new Set([14]),
      );
    });

    it('are read and written during a long expiry, which only one process runs at a time', async () => {
      const [{ store }, { store: other, database }] = [await open(), await open()];
      const old = Array.from({ length: 2000 }, (_, index) =>
        availableAnswer(parseDomainName(`old-${index}.example`), 1),
      );
      await Promise.all(old.map((answer) => store.putAnswer(answer)));
      const expiries = [store.deleteExpired(10, 10), other.deleteExpired(10, 10)];
      await store.putAnswer(availableAnswer(alpha, 20));
      expect((await other.getAnswers([alpha], 'registration')).size).toBe(1);
      await Promise.all(expiries);
      expect(await database.rows('SELECT name FROM answers')).toEqual([{ name: alpha }]);
    });

    it('are returned as soon as they are put, whichever statement the database runs first', async () => {
      const { store, database } = await open();
      // A read does not see writes that start after it.
      const slowDatabase: Pick<Database, 'rows'> = {
        rows: async <T>(text: string, values?: readonly unknown[]) => {
          const rows = await database.rows<T>(text, values);
          if (text.startsWith('SELECT name, verdict'))
            await untilFound(storeUrl, 'SELECT 1 FROM answers');
          return rows;
        },
      };
      const reader = new PostgresAnswers(slowDatabase, log);
      const written = reader.putAnswer(availableAnswer(alpha, 1));
      const found = reader.getAnswers([alpha], 'verdict');
      await written;
      expect([...(await found).keys()]).toEqual([alpha]);
      expect((await store.getAnswers([alpha], 'verdict')).size).toBe(1);
    });

    it('of the first schema version can be read by the current one', async () => {
      const { store, database } = await open();
      await Promise.all([
        store.putAnswer(registeredAnswer(alpha, 1)),
        store.putAnswer(availableAnswer(beta, 1)),
      ]);
      const rows = await database.rows(
        'SELECT name, verdict, endpoint, checked_at, summary, record, evidence FROM answers',
      );
      storeUrl = await sharedPostgres.database();
      await sql(storeUrl, await readFile(firstMigration, 'utf8'));
      await sql(storeUrl, 'CREATE TABLE gateway_schema AS SELECT 1 AS version');
      await sql(
        storeUrl,
        'INSERT INTO answers SELECT * FROM json_populate_recordset(NULL::answers, $1)',
        [JSON.stringify(rows)],
      );
      const { store: migrated } = await open();
      expect((await migrated.getAnswers([alpha, beta], 'registration')).size).toBe(2);
      await migrated.putAnswer(registeredAnswer(alpha, 2));
      expect([...(await migrated.getAnswers([alpha], 'verdict')).values()]).toEqual([
        verdictOf(registeredAnswer(alpha, 2)),
      ]);
    });

    it('that the database rejects do not affect others, and delete the answers that they should have replaced', async () => {
      const [{ store, database }, { store: other }] = [await open(), await open()];
      await store.putAnswer(availableAnswer(alpha, 1));
      await database.rows(
        `ALTER TABLE answers ADD CHECK (verdict <> 'REGISTERED' OR name <> '${alpha}')`,
      );
      await Promise.allSettled([
        store.putAnswer(registeredAnswer(alpha, 2)),
        store.putAnswer(registeredAnswer(beta, 2)),
      ]);
      await expect(store.putAnswer(registeredAnswer(alpha, 3))).rejects.toThrow(
        'violates check constraint',
      );
      for (const each of [store, other])
        expect([...(await each.getAnswers([alpha, beta], 'verdict')).keys()]).toEqual([beta]);
      await store.close();
    });

    it('are stored even if all of them would exceed the time limit of a statement', async () => {
      const { store } = await open();
      const large = Array.from({ length: 30 }, (_, index) =>
        registeredAnswer(parseDomainName(`large-${index}.example`), 1, 'x'.repeat(200_000)),
      );
      await Promise.all(large.map((answer) => store.putAnswer(answer)));
      expect(
        (await store.getAnswers([parseDomainName('large-29.example')], 'registration')).size,
      ).toBe(1);
    });
  },
);

describe.skipIf(postgresMissing)('a gateway whose database freezes', () => {
  it('returns copied answers, looks up the rest, and stores new answers once the database is available', async () => {
    await using postgres = await startPostgres();
    await using registry = await startFakeRegistry();
    registry.fallback(({ name }) => registered(name));
    await using fleet = await startFleet(postgres, 2, { registries: { aa: registry.baseUrl } });
    const [node, other] = fleet.nodes;
    await Promise.all([
      lookUp(node, 'read.aa'),
      lookUp(other, 'other.aa'),
      lookUp(other, 'record.aa'),
    ]);
    for (const name of ['other.aa', 'record.aa']) {
      // An answer is stored after it was returned.
      await untilFound(fleet.storeUrl, 'SELECT 1 FROM answers WHERE name = $1', [name]);
      await lookUp(node, name);
    }
    await postgres.freeze();
    try {
      for (const name of ['read.aa', 'other.aa', 'read.aa']) {
        expect(await lookUp(node, name)).toMatchObject({ status: 'registered', cached: true });
      }
      // Of this name, it has read only the verdict.
      const { data } = await node.graphql(
        '{ read: domain(name: "read.aa") { cached } record: domain(name: "record.aa") { rdap { handle } } }',
      );
      expect(data).toEqual({
        read: { cached: true },
        record: { rdap: { handle: 'FAKE-record.aa' } },
      });
      expect(await lookUp(node, 'new.aa')).toMatchObject({ status: 'registered', cached: false });
      expect(await lookUp(node, 'new.aa')).toMatchObject({ status: 'registered', cached: true });
    } finally {
      await postgres.thaw();
    }
    await untilFound(fleet.storeUrl, 'SELECT 1 FROM answers WHERE name = $1', ['new.aa']);
    while (!(await other.fetch('/ready')).ok);
    expect(await lookUp(other, 'new.aa')).toMatchObject({ status: 'registered', cached: true });
    expect(registry.requests).toHaveLength(5);
  });
});

async function lookUp(node: Gateway, name: string): Promise<Json> {
  return (await node.get(`/v1/status?domain=${name}`)).results[0];
}
