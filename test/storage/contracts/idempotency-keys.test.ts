import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyKeys, IdempotencyKeyUse } from '../../../src/accounts/idempotency.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'idempotency-'));
const closing: (() => Promise<void>)[] = [];
let opened = 0;
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true });
});

const options = (clock: ManualClock) => ({ clock, freeCredits: 0 });
const open = {
  memory: async (clock: ManualClock): Promise<IdempotencyKeys> =>
    openAccounts('memory:', options(clock)),
  sqlite: async (clock: ManualClock) =>
    sharedKeys(`sqlite:${join(folder, `${opened++}.db`)}`, clock),
  postgres: async (clock: ManualClock) => sharedKeys(await sharedPostgres.database(), clock),
};

async function sharedKeys(storeUrl: string, clock: ManualClock): Promise<IdempotencyKeys> {
  const accounts = await openAccounts(storeUrl, options(clock));
  closing.push(() => accounts.close());
  return accounts;
}

const hour = 60 * 60 * 1000;
const use: IdempotencyKeyUse = { caller: 'alice', key: 'k', fingerprint: 'one' };

describe.each(Object.keys(open) as (keyof typeof open)[])(
  'idempotency keys in the %s store',
  (kind) => {
    let clock: ManualClock;
    let keys: IdempotencyKeys;
    beforeEach(async (context) => {
      context.skip(kind === 'postgres' && postgresMissing !== undefined, postgresMissing);
      clock = manualClock();
      keys = await open[kind](clock);
    });

    it('charge repeated calls with the same key and body once', async () => {
      expect(await keys.bindIdempotencyKey(use)).toEqual({ conflict: false, charged: 0 });
      expect(await keys.addIdempotentCharge(use, 6)).toBe(6);
      expect(await keys.bindIdempotencyKey(use)).toEqual({ conflict: false, charged: 6 });
      expect(await keys.addIdempotentCharge(use, 6)).toBe(0);
      expect(await keys.addIdempotentCharge(use, 6)).toBe(0);
    });

    it('can be read without being bound', async () => {
      const unbound = { conflict: false, charged: 0, since: undefined };
      expect(await keys.idempotencyStatus(use)).toEqual(unbound);
      expect(await keys.idempotencyStatus({ ...use, fingerprint: 'two' })).toEqual(unbound);
      const since = clock.now();
      await keys.bindIdempotencyKey(use);
      await keys.addIdempotentCharge(use, 6);
      clock.advance(24 * hour - 1);
      await keys.bindIdempotencyKey(use);
      expect(await keys.idempotencyStatus(use)).toEqual({ conflict: false, charged: 6, since });
      expect(await keys.idempotencyStatus({ ...use, fingerprint: 'two' })).toMatchObject({
        conflict: true,
      });
      expect(await keys.idempotencyStatus({ ...use, key: 'K' })).toEqual(unbound);
      clock.advance(1);
      expect(await keys.idempotencyStatus({ ...use, fingerprint: 'two' })).toEqual(unbound);
    });

    it('charge two concurrent calls once', async () => {
      await Promise.all([keys.bindIdempotencyKey(use), keys.bindIdempotencyKey(use)]);
      const due = await Promise.all([
        keys.addIdempotentCharge(use, 6),
        keys.addIdempotentCharge(use, 6),
      ]);
      expect(due.toSorted()).toEqual([0, 6]);
    });

    it('charge the rest if an aborted call is repeated', async () => {
      await keys.bindIdempotencyKey(use);
      expect(await keys.addIdempotentCharge(use, 2)).toBe(2);
      expect(await keys.addIdempotentCharge(use, 0)).toBe(0);
      expect(await keys.addIdempotentCharge(use, 6)).toBe(4);
      expect((await keys.bindIdempotencyKey(use)).charged).toBe(6);
    });

    it('report a conflict for a different body, and change nothing', async () => {
      await keys.bindIdempotencyKey(use);
      await keys.addIdempotentCharge(use, 6);
      expect((await keys.bindIdempotencyKey({ ...use, fingerprint: 'two' })).conflict).toBe(true);
      expect(await keys.bindIdempotencyKey(use)).toEqual({ conflict: false, charged: 6 });
    });

    it('are separate for each caller', async () => {
      await keys.bindIdempotencyKey(use);
      await keys.addIdempotentCharge(use, 6);
      for (const other of [
        { caller: 'bob', key: 'k' },
        { caller: 'alice', key: 'K' },
        { caller: 'alicek', key: '' },
      ]) {
        expect(await keys.bindIdempotencyKey({ ...other, fingerprint: 'two' })).toEqual({
          conflict: false,
          charged: 0,
        });
      }
    });

    it('are bound to their body for 24 h from the first use', async () => {
      await keys.bindIdempotencyKey(use);
      await keys.addIdempotentCharge(use, 6);
      clock.advance(23 * hour);
      expect((await keys.bindIdempotencyKey(use)).charged).toBe(6);
      clock.advance(hour - 1);
      expect((await keys.bindIdempotencyKey({ ...use, fingerprint: 'two' })).conflict).toBe(true);
      clock.advance(1);
      expect(await keys.bindIdempotencyKey({ ...use, fingerprint: 'two' })).toEqual({
        conflict: false,
        charged: 0,
      });
    });

    it('charge a call in full that outlives its key, and do not count it for the next body', async () => {
      await keys.bindIdempotencyKey(use);
      clock.advance(24 * hour);
      await keys.bindIdempotencyKey({ ...use, fingerprint: 'two' });
      expect(await keys.addIdempotentCharge(use, 6)).toBe(6);
      expect((await keys.bindIdempotencyKey({ ...use, fingerprint: 'two' })).charged).toBe(0);
    });
  },
);

describe.each(['sqlite', 'postgres'] as const)(
  'idempotency keys shared by several processes in %s',
  (kind) => {
    let storeUrl: string;
    beforeEach(async (context) => {
      context.skip(kind === 'postgres' && postgresMissing !== undefined, postgresMissing);
      storeUrl =
        kind === 'sqlite'
          ? `sqlite:${join(folder, `${opened++}.db`)}`
          : await sharedPostgres.database();
    });

    it('are visible to all processes', async () => {
      const clock = manualClock();
      const [first, second] = [
        await sharedKeys(storeUrl, clock),
        await sharedKeys(storeUrl, clock),
      ];
      await first.bindIdempotencyKey(use);
      await first.addIdempotentCharge(use, 6);
      expect(await second.bindIdempotencyKey(use)).toEqual({ conflict: false, charged: 6 });
      expect(await second.addIdempotentCharge(use, 6)).toBe(0);
    });

    it('are deleted after they expire', async () => {
      const clock = manualClock();
      const keys = await sharedKeys(storeUrl, clock);
      for (let number = 0; number < 25; number++)
        await keys.bindIdempotencyKey({ ...use, key: `${number}` });
      clock.advance(24 * hour);
      for (const key of ['a', 'b', 'c']) await keys.bindIdempotencyKey({ ...use, key });
      expect(await keysIn(storeUrl)).toEqual(['a', 'b', 'c']);
    });
  },
);

async function keysIn(storeUrl: string): Promise<readonly unknown[]> {
  const sql = 'SELECT key FROM idempotency_keys ORDER BY key';
  if (storeUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(storeUrl.slice('sqlite:'.length));
    closing.push(async () => database.close());
    return database
      .prepare(sql)
      .all()
      .map((row) => row['key']);
  }
  const client = new Client(storeUrl);
  await client.connect();
  const { rows } = await client.query<{ key: string }>(sql);
  await client.end();
  return rows.map(({ key }) => key);
}
