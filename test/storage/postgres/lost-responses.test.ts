import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore, Reservation } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { expireReservations } from '../../support/expire-reservations.ts';
import { startFlakyProxy, type FlakyProxy } from '../../support/flaky-proxy.ts';
import { postgresMissing, startPostgres, type Postgres } from '../../support/postgres.ts';
import { sql } from '../../support/sql.ts';

const log = createLog('silent');
const until = { timeout: 10_000, interval: 20 };

describe.skipIf(postgresMissing)(
  `a database that dies between a statement and its answer${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  () => {
    let postgres: Postgres;
    let parts: AsyncDisposableStack;
    let url: string;
    let wire: FlakyProxy;
    let accounts: AccountStore;
    let id: string;
    beforeAll(async () => void (postgres = await startPostgres()));
    afterAll(() => postgres[Symbol.asyncDispose]());
    beforeEach(async () => {
      parts = new AsyncDisposableStack();
      url = await postgres.database();
      wire = parts.use(await startFlakyProxy(url));
      const options = { clock: systemClock, freeCredits: 10 };
      ({ accounts } = parts.adopt(await openStores(wire.url, options, log), (stores) =>
        stores.close(),
      ));
      ({ id } = await accounts.create(
        { name: 'Test', credits: null, origins: [] },
        hashOf(generateKey()),
      ));
    });
    afterEach(() => parts.disposeAsync());

    const used = async () => (await sql(url, `SELECT used::int FROM counters`))[0]?.used;
    const setAside = async () =>
      (await sql(url, 'SELECT amount FROM reservations WHERE amount > 0')).length;
    const sums = async () =>
      (await sql(url, 'SELECT sum(amount)::int AS entered FROM entries'))[0]?.entered;
    /** A charge is reversed by an entry, also where there is nothing to reverse. */
    const entries = async () => (await sql(url, 'SELECT amount FROM entries')).length;
    const reversed = async (before: number) =>
      vi.waitFor(async () => expect(await entries()).toBeGreaterThan(before), until);

    async function reserve(amount: number): Promise<Reservation> {
      const outcome = await accounts.reserve(id, amount);
      if (!outcome.granted) throw new Error('refused');
      return outcome.reservation;
    }

    it('a charge that is not confirmed is reversed, once', async () => {
      await accounts.charge(id, 1);
      wire.goDeaf();
      await expect(accounts.charge(id, 7)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      expect([await used(), await entries()]).toEqual([8, 2]);
      wire.mend();
      await reversed(2);
      expect([await used(), await sums()]).toEqual([1, 1]);
    });

    it('a charge that arrives after it was reversed is refused', async () => {
      await accounts.charge(id, 1);
      const deliver = wire.hold();
      await expect(accounts.charge(id, 7)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      wire.mend();
      await reversed(1);
      await deliver();
      expect([await used(), await sums(), await accounts.check()]).toEqual([1, 1, []]);
    });

    it('a reservation that is not confirmed expires, whenever it arrives', async () => {
      await accounts.charge(id, 1);
      wire.goDeaf();
      await expect(accounts.reserve(id, 3)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      wire.mend();
      await vi.waitFor(() => accounts.probe(), until);
      const deliver = wire.hold();
      await expect(accounts.reserve(id, 4)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      wire.mend();
      await deliver();
      expect([await used(), await setAside()]).toEqual([8, 2]);
      expect([await expireReservations(url), await used(), await setAside(), await sums()]).toEqual(
        [2, 1, 0, 1],
      );
    });

    it('a settling that is not confirmed charges nothing, as the caller is answered', async () => {
      const reservation = await reserve(7);
      wire.goDeaf();
      await expect(accounts.settle(reservation, 3)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      expect(await used()).toBe(3);
      wire.mend();
      await reversed(2);
      expect([await used(), await setAside(), await sums()]).toEqual([0, 0, 0]);
    });

    it('a settling that arrives after its charge was reversed charges nothing', async () => {
      const reservation = await reserve(7);
      const deliver = wire.hold();
      await expect(accounts.settle(reservation, 3)).rejects.toMatchObject({
        name: 'LedgerUnavailableError',
      });
      wire.mend();
      await reversed(1);
      await deliver();
      expect([await used(), await setAside(), await sums()]).toEqual([0, 0, 0]);
    });
  },
);
