import { describe, expect, it, vi } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { Reservation } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { expireReservations } from '../../support/stores/expire-reservations.ts';
import { startFlakyProxy } from '../../support/servers/flaky-proxy.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { sql } from '../../support/stores/sql.ts';

const log = createLog('silent');
const until = { timeout: 45_000, interval: 20 };

/** Opens the stores of a database behind a proxy, with an account. */
async function start() {
  const parts = new AsyncDisposableStack();
  const url = await sharedPostgres.database();
  const proxy = parts.use(await startFlakyProxy(url));
  const options = { clock: systemClock, freeCredits: 10 };
  const { accounts } = parts.adopt(await openStores(proxy.url, options, log), (stores) =>
    stores.close(),
  );
  const plan = { name: 'Test', credits: null, origins: [] };
  const { id } = await accounts.create(plan, hashOf(generateKey()));
  /** Reversing a charge adds an entry, even if there is nothing to reverse. */
  const entries = async () => (await sql(url, 'SELECT amount FROM entries')).length;
  return {
    url,
    proxy,
    accounts,
    id,
    entries,
    used: async () => (await sql(url, `SELECT used::int FROM counters`))[0]?.used,
    countReservations: async () =>
      (await sql(url, 'SELECT amount FROM reservations WHERE amount > 0')).length,
    sumOfEntries: async () =>
      (await sql(url, 'SELECT sum(amount)::int AS entered FROM entries'))[0]?.entered,
    untilReversed: (before: number) =>
      vi.waitFor(async () => expect(await entries()).toBeGreaterThan(before), until),
    async reserve(amount: number): Promise<Reservation> {
      const outcome = await accounts.reserve(id, amount);
      if (!outcome.granted) throw new Error('The reservation was refused.');
      return outcome.reservation;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

describe.skipIf(postgresMissing)(
  `a database that fails between a statement and its response${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  () => {
    it.concurrent('reverses an unconfirmed charge once', async () => {
      await using started = await start();
      const { proxy, accounts, id, entries, used, sumOfEntries, untilReversed } = started;
      await accounts.charge(id, 1);
      proxy.dropResponses();
      await expect(accounts.charge(id, 7)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      expect([await used(), await entries()]).toEqual([8, 2]);
      proxy.restore();
      await untilReversed(2);
      expect([await used(), await sumOfEntries()]).toEqual([1, 1]);
    });

    it.concurrent('refuses a charge that arrives after it was reversed', async () => {
      await using started = await start();
      const { proxy, accounts, id, used, sumOfEntries, untilReversed } = started;
      await accounts.charge(id, 1);
      const deliver = proxy.holdRequests();
      await expect(accounts.charge(id, 7)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      proxy.restore();
      await untilReversed(1);
      await deliver();
      expect([await used(), await sumOfEntries(), await accounts.check()]).toEqual([1, 1, []]);
    });

    it.concurrent('lets an unconfirmed reservation expire, whenever it arrives', async () => {
      await using started = await start();
      const { url, proxy, accounts, id, used, countReservations, sumOfEntries } = started;
      await accounts.charge(id, 1);
      proxy.dropResponses();
      await expect(accounts.reserve(id, 3)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      proxy.restore();
      await vi.waitFor(() => accounts.probe(), until);
      const deliver = proxy.holdRequests();
      await expect(accounts.reserve(id, 4)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      proxy.restore();
      await deliver();
      expect([await used(), await countReservations()]).toEqual([8, 2]);
      expect(await expireReservations(url)).toBe(2);
      expect(await used()).toBe(1);
      expect(await countReservations()).toBe(0);
      expect(await sumOfEntries()).toBe(1);
    });

    it.concurrent('charges nothing for an unconfirmed settlement', async () => {
      await using started = await start();
      const { proxy, accounts, used, countReservations, sumOfEntries, untilReversed, reserve } =
        started;
      const reservation = await reserve(7);
      proxy.dropResponses();
      await expect(accounts.settle(reservation, 3)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      expect(await used()).toBe(3);
      proxy.restore();
      await untilReversed(2);
      expect([await used(), await countReservations(), await sumOfEntries()]).toEqual([0, 0, 0]);
    });

    it.concurrent(
      'charges nothing for a settlement that arrives after its charge was reversed',
      async () => {
        await using started = await start();
        const { proxy, accounts, used, countReservations, sumOfEntries, untilReversed, reserve } =
          started;
        const reservation = await reserve(7);
        const deliver = proxy.holdRequests();
        await expect(accounts.settle(reservation, 3)).rejects.toMatchObject({
          name: 'LedgerUnavailableError',
        });
        proxy.restore();
        await untilReversed(1);
        await deliver();
        expect([await used(), await countReservations(), await sumOfEntries()]).toEqual([0, 0, 0]);
      },
    );
  },
);
