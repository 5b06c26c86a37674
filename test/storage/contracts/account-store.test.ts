import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it as base } from 'vitest';
import type { Plan } from '../../../src/accounts/account.ts';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import {
  reservationExpiryMs,
  type AccountStore,
  type Reserved,
} from '../../../src/accounts/store.ts';
import { createLog } from '../../../src/log.ts';
import { postgresAccounts } from '../../../src/storage/postgres/open.ts';
import { openPostgresDatabase, type Database } from '../../../src/storage/postgres/database.ts';
import { memoryAccounts, openSqliteAccounts } from '../../../src/storage/sqlite/accounts.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
const parts = new AsyncDisposableStack();
let opened = 0;
let database: Database;
beforeAll(async () => {
  if (postgresMissing) return;
  // A long time limit, since no client waits here and a queued burst is not an outage.
  database = parts.adopt(
    await openPostgresDatabase(await sharedPostgres.database(), createLog('silent'), 10_000),
    (connected) => connected.close(),
  );
});
afterAll(async () => {
  await parts.disposeAsync();
  rmSync(folder, { recursive: true });
});

const freeCredits = 100;
const hour = 60 * 60 * 1000;
const firstOfDecember = Date.UTC(2026, 11, 1);

/** Each opens an empty store. */
const open = {
  memory: async (clock: ManualClock) => memoryAccounts({ clock, freeCredits }),
  sqlite: (clock: ManualClock) =>
    openSqliteAccounts(join(folder, `${opened++}.db`), { clock, freeCredits }),
  postgres: async (clock: ManualClock) => {
    await database.rows('TRUNCATE accounts, keys, counters, entries, reservations');
    return postgresAccounts(database, { clock, freeCredits });
  },
};

const document = (text: string) => ({ ids: [`id of ${text}`], name: 'Söhne', text });

describe.each(Object.keys(open) as (keyof typeof open)[])('%s account store', (kind) => {
  beforeEach(({ skip }) =>
    skip(kind === 'postgres' && postgresMissing !== undefined, postgresMissing),
  );

  const it = base
    .extend('clock', () => manualClock(firstOfDecember - hour))
    .extend('store', async ({ clock }, { onCleanup }) => {
      const store = await open[kind](clock);
      onCleanup(async () => {
        expect(await store.check()).toEqual([]);
        await store.close();
      });
      return store;
    });

  describe('keys', () => {
    it('finds an account with its plan by its key', async ({ store, clock }) => {
      const hash = hashOf(generateKey());
      const account = await store.create(
        { name: 'Zoë & "söhne"', credits: 5, origins: ['https://app.example'] },
        hash,
      );
      expect(account).toMatchObject({
        name: 'Zoë & "söhne"',
        credits: 5,
        createdAt: clock.now(),
        revokedAt: null,
      });
      expect(await store.findByHash(hash)).toEqual(account);
      expect(await store.findByHash(hashOf(generateKey()))).toBeUndefined();
    });

    it('lists accounts, oldest first', async ({ store, clock }) => {
      const first = await create(store, { name: 'first' });
      clock.advance(1);
      const second = await create(store, { name: 'second', credits: 7 });
      expect(await store.list()).toEqual([
        { ...first.account, lastChargedAt: null },
        { ...second.account, lastChargedAt: null },
      ]);
    });

    it('lists when each account was last charged, in any month', async ({ store, clock }) => {
      const [used, unused] = [(await create(store)).account, (await create(store)).account];
      const lastChargedAt = async () => (await store.list()).map((each) => each.lastChargedAt);
      await store.charge(used.id, 1);
      clock.advance(2 * hour);
      await reserve(store, used.id, 1);
      const reservedAt = clock.now();
      clock.advance(1);
      await store.charge(used.id, 0);
      expect(await store.charge(used.id, 1000)).toMatchObject({ granted: false });
      expect(await lastChargedAt()).toEqual(
        (await store.list()).map(({ id }) => (id === unused.id ? null : reservedAt)),
      );
      await store.charge(used.id, 1);
      expect(await lastChargedAt()).toContain(clock.now());
    });

    it('rejects the keys of an account from its expiry, which can be changed and removed', async ({
      store,
      clock,
    }) => {
      const expiresAt = clock.now() + hour;
      const { account, hash } = await create(store, { expiresAt });
      expect(account).toMatchObject({ expiresAt });
      clock.advance(hour - 1);
      expect(await store.findByHash(hash)).toEqual(account);
      clock.advance(1);
      expect(await store.findByHash(hash)).toBeUndefined();
      const extended = { ...account, expiresAt: expiresAt + 1 };
      expect(await store.change(account.id, { expiresAt: expiresAt + 1 })).toEqual(extended);
      expect(await store.findByHash(hash)).toEqual(extended);
      clock.advance(1);
      expect(await store.findByHash(hash)).toBeUndefined();
      await store.change(account.id, { expiresAt: null });
      expect(await store.change(account.id, { credits: 3 })).toMatchObject({ expiresAt: null });
      expect(await store.findByHash(hash)).toMatchObject({ expiresAt: null });
    });

    it('accepts a replaced key for another 24 hours, and the new one immediately', async ({
      store,
      clock,
    }) => {
      const { account, hash: old } = await create(store);
      const fresh = hashOf(generateKey());
      expect(await store.rotate(account.id, fresh)).toEqual(account);
      clock.advance(24 * hour - 1);
      expect(await store.findByHash(old)).toEqual(account);
      clock.advance(1);
      expect(await store.findByHash(old)).toBeUndefined();
      expect(await store.findByHash(fresh)).toEqual(account);
    });

    it('does not extend a replaced key when its successor is replaced too', async ({
      store,
      clock,
    }) => {
      const { account, hash: old } = await create(store);
      await store.rotate(account.id, hashOf(generateKey()));
      clock.advance(23 * hour);
      await store.rotate(account.id, hashOf(generateKey()));
      clock.advance(hour);
      expect(await store.findByHash(old)).toBeUndefined();
    });

    it('revokes every key of an account permanently', async ({ store, clock }) => {
      const { account, hash: old } = await create(store);
      const fresh = hashOf(generateKey());
      await store.rotate(account.id, fresh);
      const revoked = { ...account, revokedAt: clock.now() };
      expect(await store.revoke(account.id)).toEqual(revoked);
      expect(await store.findByHash(old)).toBeUndefined();
      expect(await store.findByHash(fresh)).toBeUndefined();
      clock.advance(1);
      expect(await store.revoke(account.id)).toEqual(revoked);
      expect(await store.rotate(account.id, hashOf(generateKey()))).toBeUndefined();
      expect(await store.list()).toEqual([{ ...revoked, lastChargedAt: null }]);
    });

    it('changes only the given properties of a plan, and resets them', async ({ store }) => {
      const { account, hash } = await create(store, { credits: 5, origins: ['https://a.example'] });
      const { account: other } = await create(store, { name: 'other' });
      for (const [change, plan] of [
        [{ credits: 7 }, { credits: 7, origins: ['https://a.example'] }],
        [
          { origins: ['https://b.example', 'https://c.example'] },
          { credits: 7, origins: ['https://b.example', 'https://c.example'] },
        ],
        [
          { credits: null, origins: [] },
          { credits: null, origins: [] },
        ],
      ] as const) {
        expect(await store.change(account.id, change)).toEqual({ ...account, ...plan });
        expect(await store.findByHash(hash)).toEqual({ ...account, ...plan });
      }
      expect(await store.list()).toContainEqual({ ...other, lastChargedAt: null });
    });

    it('stores the documents to which keys are limited, changes and removes them', async ({
      store,
    }) => {
      const documents = [document('{ a } # "\\ \0'), document('query B { b(x: "\n𝒳") }')];
      const { account, hash } = await create(store, { documents });
      const { account: other } = await create(store, { name: 'other' });
      expect([account.documents, other.documents]).toEqual([documents, null]);
      for (const [change, expected] of [
        [{ credits: 1 }, { credits: 1, documents }],
        [{ documents: documents.slice(1) }, { credits: 1, documents: documents.slice(1) }],
        [{ documents: null }, { credits: 1, documents: null }],
        [{ documents }, { credits: 1, documents }],
      ] as const) {
        expect(await store.change(account.id, change)).toEqual({ ...account, ...expected });
        expect(await store.findByHash(hash)).toEqual({ ...account, ...expected });
      }
      const listed = await store.list();
      expect(listed.map((each) => each.documents)).toEqual(
        listed.map(({ id }) => (id === account.id ? documents : null)),
      );
      expect(await store.rotate(account.id, hashOf(generateKey()))).toMatchObject({ documents });
      expect(await store.revoke(account.id)).toMatchObject({ documents });
    });

    it('finds an active account by its ID, or by a name that only it has', async ({ store }) => {
      const { account } = await create(store, { name: 'sole' });
      // The name of another account may be an ID.
      await create(store, { name: account.id });
      await create(store, { name: 'twin' });
      await create(store, { name: 'twin' });
      expect(await store.findNamed(account.id)).toEqual(account);
      expect(await store.findNamed('sole')).toEqual(account);
      expect(await store.findNamed('twin')).toBeUndefined();
      await store.revoke(account.id);
      expect(await store.findNamed('sole')).toBeUndefined();
    });

    it('stores the role of an account, changes and removes it', async ({ store }) => {
      const { account, hash } = await create(store, { role: 'operator' });
      const { account: other } = await create(store, { name: 'other' });
      expect([account.role, other.role]).toEqual(['operator', null]);
      for (const [change, role] of [
        [{ credits: 1 }, 'operator'],
        [{ role: null }, null],
        [{ role: 'operator' }, 'operator'],
      ] as const) {
        expect(await store.change(account.id, change)).toMatchObject({ role });
        expect(await store.findByHash(hash)).toMatchObject({ credits: 1, role });
      }
      const listed = await store.list();
      expect(listed.map(({ role }) => role)).toEqual(
        listed.map(({ id }) => (id === account.id ? 'operator' : null)),
      );
    });

    it('changes, rotates and revokes nothing if the account does not exist, and changes nothing if it is revoked', async ({
      store,
    }) => {
      expect(await store.change('missing', { credits: 1 })).toBeUndefined();
      expect(await store.rotate('missing', hashOf(generateKey()))).toBeUndefined();
      expect(await store.revoke('missing')).toBeUndefined();
      const { id } = (await create(store, { credits: 5 })).account;
      const revoked = await store.revoke(id);
      expect(await store.change(id, { credits: 1 })).toBeUndefined();
      expect(await store.list()).toEqual([{ ...revoked, lastChargedAt: null }]);
    });
  });

  describe('credits', () => {
    it('applies a changed plan immediately, also one below the credits already used', async ({
      store,
    }) => {
      const { id } = (await create(store, { credits: 1 })).account;
      expect(await store.charge(id, 3)).toMatchObject({ granted: false });
      await store.change(id, { credits: 4 });
      expect(await store.charge(id, 3)).toMatchObject({
        granted: true,
        balance: { limit: 4, remaining: 1 },
      });
      await store.change(id, { credits: 2 });
      expect(await store.charge(id, 1)).toMatchObject({
        granted: false,
        balance: { limit: 2, used: 3, remaining: 0 },
      });
    });

    it('reserves the requested credits, charges a part and refunds the rest', async ({ store }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const reserved = await reserve(store, id, 7);
      expect(reserved.balance).toEqual({
        limit: 10,
        used: 7,
        remaining: 3,
        resetsAt: firstOfDecember,
      });
      expect(await store.settle(reserved.reservation, 2)).toEqual({
        limit: 10,
        used: 2,
        remaining: 8,
        resetsAt: firstOfDecember,
      });
      expect(await store.balance(id)).toEqual({
        limit: 10,
        used: 2,
        remaining: 8,
        resetsAt: firstOfDecember,
      });
    });

    it('refuses an amount above the remaining credits, and charges nothing', async ({ store }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      await store.charge(id, 9);
      const refused = {
        granted: false,
        balance: { limit: 10, used: 9, remaining: 1, resetsAt: firstOfDecember },
      };
      expect(await store.reserve(id, 2)).toEqual(refused);
      expect(await store.charge(id, 2)).toEqual(refused);
      expect(await store.charge(id, 1)).toMatchObject({ granted: true, balance: { remaining: 0 } });
    });

    it('never lets two requests spend the same credit: 1,000 concurrent ones spend exactly 10 credits', async ({
      store,
    }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const prices = Array.from({ length: 1000 }, (_, index) => 1 + (index % 2));
      const results = await Promise.all(
        prices.map((price, index) =>
          index % 3 === 0 ? store.charge(id, price) : store.reserve(id, price),
        ),
      );
      const spent = results.reduce(
        (sum, { granted: isGranted }, index) => sum + (isGranted ? (prices[index] ?? 0) : 0),
        0,
      );
      expect(spent).toBe(10);
      expect(await store.balance(id)).toMatchObject({ used: 10, remaining: 0 });
    });

    it('settles a reservation once, despite repeated and concurrent attempts', async ({
      store,
    }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const { reservation } = await reserve(store, id, 6);
      await Promise.all([
        store.settle(reservation, 1),
        store.settle(reservation, 1),
        store.settle(reservation, 0),
      ]);
      await store.settle(reservation, 6);
      expect(await store.balance(id)).toMatchObject({ used: 1 });
    });

    it('returns the accounts that used most in this month, without revoked ones that used nothing', async ({
      store,
      clock,
    }) => {
      const accounts = [];
      for (const [index, name] of ['first', 'second', 'idle', 'gone', 'revoked'].entries()) {
        accounts.push((await create(store, { name, credits: index || null })).account);
        clock.advance(1); // accounts with the same use are in the order of their creation
      }
      const [first, second, , gone, revoked] = accounts;
      await store.charge(second?.id ?? '', 1);
      clock.advance(hour);
      await store.charge(second?.id ?? '', 1);
      await store.charge(first?.id ?? '', 2);
      await store.charge(revoked?.id ?? '', 3);
      for (const account of [gone, revoked]) await store.revoke(account?.id ?? '');
      const rows = await store.topUsage(10);
      expect(rows.map(({ name, used, limit }) => [name, used, limit])).toEqual([
        ['revoked', 3, 4],
        ['first', 2, freeCredits],
        ['second', 1, 1],
        ['idle', 0, 2],
      ]);
      expect(await store.topUsage(1)).toEqual([{ ...rows[0], total: 4 }]);
      const found = async (find: string) =>
        (await store.topUsage(10, find)).map(({ name, total }) => [name, total]);
      expect(await found('E')).toEqual([
        ['revoked', 4],
        ['second', 4],
        ['idle', 4],
        ['gone', 4],
      ]);
      expect(await found(first?.id ?? '')).toEqual([['first', 1]]);
      for (const none of ['%', '_', '!', '\\', "'"]) expect(await found(none)).toEqual([]);
    });

    it('starts every calendar month (UTC) with all credits, and refunds to the month that was charged', async ({
      store,
      clock,
    }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      clock.advance(hour - 1);
      const { reservation } = await reserve(store, id, 10);
      expect(await store.reserve(id, 1)).toMatchObject({ granted: false });
      clock.advance(1);
      expect(await store.charge(id, 8)).toMatchObject({ granted: true });
      expect(await store.settle(reservation, 4)).toEqual({
        limit: 10,
        used: 8,
        remaining: 2,
        resetsAt: Date.UTC(2027, 0, 1),
      });
      expect(await store.usage()).toEqual([
        { accountId: id, month: '2026-12', used: 8 },
        { accountId: id, month: '2026-11', used: 4 },
      ]);
    });

    it('grants the free credits to accounts without a plan, and none to a plan of 0', async ({
      store,
    }) => {
      const free = (await create(store)).account;
      const none = (await create(store, { credits: 0 })).account;
      expect(await store.balance(free.id)).toMatchObject({
        limit: freeCredits,
        remaining: freeCredits,
      });
      expect(await store.charge(free.id, freeCredits)).toMatchObject({ granted: true });
      expect(await store.reserve(none.id, 1)).toMatchObject({
        granted: false,
        balance: { limit: 0 },
      });
      expect(await store.reserve('missing', 1)).toMatchObject({
        granted: false,
        balance: { limit: 0 },
      });
    });

    it('never refuses an amount of 0, and writes nothing for it', async ({ store }) => {
      const { id } = (await create(store, { credits: 0 })).account;
      const { reservation } = await reserve(store, id, 0);
      expect(await store.settle(reservation, 0)).toMatchObject({ used: 0 });
      expect(await store.charge(id, 0)).toMatchObject({ granted: true });
      expect(await store.usage()).toEqual([]);
    });

    it.for([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
      'rejects an amount of %s',
      async (amount, { store }) => {
        await expect(store.charge('missing', amount)).rejects.toThrow(RangeError);
      },
    );

    it('rejects a charge above the reserved amount', async ({ store }) => {
      const { reservation } = await reserve(store, (await create(store)).account.id, 1);
      await expect(store.settle(reservation, 2)).rejects.toThrow(RangeError);
      expect(await store.settle(reservation, 1)).toMatchObject({ used: 1 });
    });

    it('refunds expired reservations once, to their month', async ({ store, clock }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      await store.charge(id, 1);
      await reserve(store, id, 3);
      await reserve(store, id, 4);
      clock.advance(reservationExpiryMs - 1);
      expect(await store.refundExpired()).toBe(0);
      clock.advance(hour);
      expect([await store.refundExpired(), await store.refundExpired()]).toEqual([2, 0]);
      expect(await store.usage()).toEqual([{ accountId: id, month: '2026-11', used: 1 }]);
    });

    it('refunds any number of reservations', async ({ store, clock }) => {
      const { id } = (await create(store, { credits: 250 })).account;
      await Promise.all(Array.from({ length: 250 }, () => reserve(store, id, 1)));
      clock.advance(reservationExpiryMs);
      expect(await store.refundExpired()).toBe(250);
      expect(await store.balance(id)).toMatchObject({ used: 0 });
    });

    it('does not refund extended reservations', async ({ store, clock }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const { reservation } = await reserve(store, id, 3);
      await reserve(store, id, 4);
      clock.advance(reservationExpiryMs - 1);
      await store.extendReservations();
      clock.advance(reservationExpiryMs - 1);
      expect(await store.refundExpired()).toBe(0);
      await store.settle(reservation, 3);
      clock.advance(1);
      expect(await store.refundExpired()).toBe(1);
      expect(await store.balance(id)).toMatchObject({ used: 3 });
    });

    it('charges work once that is settled after its reservation expired', async ({
      store,
      clock,
    }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const { reservation } = await reserve(store, id, 3);
      clock.advance(reservationExpiryMs);
      await store.refundExpired();
      await store.extendReservations();
      clock.advance(hour);
      await store.settle(reservation, 2);
      await store.settle(reservation, 2);
      expect(await store.refundExpired()).toBe(0);
      expect(await store.usage()).toEqual([{ accountId: id, month: '2026-11', used: 2 }]);
    });

    it('charges work settled after expiry at most the remaining credits, also for concurrent settlements', async ({
      store,
      clock,
    }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const reserved = await Promise.all([4, 3, 3].map((amount) => reserve(store, id, amount)));
      clock.advance(reservationExpiryMs);
      await store.refundExpired();
      await store.charge(id, 8);
      await Promise.all(
        reserved.map(({ reservation }) => store.settle(reservation, reservation.amount)),
      );
      expect(await store.balance(id)).toMatchObject({ used: 10, remaining: 0 });
    });

    it('deletes an expired reservation after a day', async ({ store, clock }) => {
      const { id } = (await create(store, { credits: 10 })).account;
      const { reservation } = await reserve(store, id, 3);
      clock.advance(reservationExpiryMs);
      await store.refundExpired();
      clock.advance(24 * hour);
      await store.refundExpired();
      await store.settle(reservation, 3);
      expect(await store.usage()).toEqual([{ accountId: id, month: '2026-11', used: 0 }]);
    });

    it('checks that it is writable without changing any usage', async ({ store }) => {
      await store.probe();
      expect(await store.usage()).toEqual([]);
    });
  });

  it('completes pending calls before it closes, and rejects later calls as unavailable', async () => {
    const store = await open[kind](manualClock());
    const pending = create(store);
    await store.close();
    await expect(pending).resolves.toBeDefined();
    await expect(store.list()).rejects.toMatchObject({
      name: 'LedgerUnavailableError',
      code: 'unavailable',
      status: 503,
    });
  });
});

async function create(store: AccountStore, plan: Partial<Plan> = {}) {
  const hash = hashOf(generateKey());
  return {
    hash,
    account: await store.create({ name: 'Test', credits: null, origins: [], ...plan }, hash),
  };
}

async function reserve(store: AccountStore, accountId: string, amount: number): Promise<Reserved> {
  const result = await store.reserve(accountId, amount);
  if (!result.granted) throw new Error(`The reservation of ${amount} credits was refused.`);
  return result;
}
