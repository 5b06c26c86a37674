import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashOf, makeKey } from '../../src/accounts/api-key.ts';
import { refundingLedger } from '../../src/accounts/refunds.ts';
import type { AccountStore, Ledger, Reservation } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openStores } from '../../src/storage/open.ts';
import { flakyWire, type FlakyWire } from '../support/flaky-wire.ts';
import { postgresMissing, startPostgres, type Postgres } from '../support/postgres.ts';
import { sql } from '../support/sql.ts';

const log = createLog('silent');
const until = { timeout: 10_000, interval: 20 };

describe.skipIf(postgresMissing)(
  `a database that dies between a statement and its answer${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  () => {
    let postgres: Postgres;
    let parts: AsyncDisposableStack;
    let url: string;
    let wire: FlakyWire;
    let accounts: AccountStore;
    let ledger: Ledger;
    let id: string;
    beforeAll(async () => void (postgres = await startPostgres()));
    afterAll(() => postgres[Symbol.asyncDispose]());
    beforeEach(async () => {
      parts = new AsyncDisposableStack();
      url = await postgres.database();
      wire = parts.use(await flakyWire(url));
      const options = { clock: systemClock, freeCredits: 10 };
      ({ accounts } = parts.adopt(await openStores(wire.url, options, log), (stores) => stores.close()));
      ledger = refundingLedger(accounts, systemClock, log);
      ({ id } = await accounts.create({ name: 'Test', credits: null, origins: [] }, hashOf(makeKey())));
    });
    afterEach(() => parts.disposeAsync());

    const used = async () => (await sql(url, `SELECT used::int FROM counters`))[0]?.used;
    const setAside = async () => (await sql(url, 'SELECT amount FROM reservations')).length;
    const sums = async () => (await sql(url, 'SELECT sum(amount)::int AS entered FROM entries'))[0]?.entered;
    /** The database was told to take it back, and has. */
    const takenBack = () => vi.waitFor(async () => expect(await sql(url, 'SELECT * FROM attempts')).toHaveLength(1), until);

    async function reserve(amount: number): Promise<Reservation> {
      const outcome = await ledger.reserve(id, amount);
      if (!outcome.granted) throw new Error('refused');
      return outcome.reservation;
    }

    const charges: readonly (readonly [what: string, charge: () => Promise<unknown>])[] = [
      ['set aside', () => ledger.reserve(id, 7)],
      ['charged at once', () => ledger.chargeAtOnce(id, 7)],
    ];

    it.each(charges)('credits that were %s without an answer are given back, once', async (_, charge) => {
      await ledger.chargeAtOnce(id, 1);
      wire.goDeaf();
      await expect(charge()).rejects.toMatchObject({ name: 'LedgerUnavailable' });
      expect(await used()).toBe(8);
      wire.mend();
      await takenBack();
      expect([await used(), await setAside(), await sums()]).toEqual([1, 0, 1]);
    });

    it.each(charges)('credits that would be %s after they were given back are not', async (_, charge) => {
      await ledger.chargeAtOnce(id, 1);
      const deliver = wire.hold();
      await expect(charge()).rejects.toMatchObject({ name: 'LedgerUnavailable' });
      wire.mend();
      await takenBack();
      await deliver();
      expect([await used(), await setAside(), await sums()]).toEqual([1, 0, 1]);
    });

    it('a settling whose answer is lost charges nothing, as the caller was told', async () => {
      const reservation = await reserve(7);
      wire.goDeaf();
      await expect(ledger.settle(reservation, 3)).rejects.toMatchObject({ name: 'LedgerUnavailable' });
      expect(await used()).toBe(3);
      wire.mend();
      await takenBack();
      expect([await used(), await setAside(), await sums()]).toEqual([0, 0, 0]);
    });

    it('a settling that arrives after its credits were given back charges nothing', async () => {
      const reservation = await reserve(7);
      const deliver = wire.hold();
      await expect(ledger.settle(reservation, 3)).rejects.toMatchObject({ name: 'LedgerUnavailable' });
      wire.mend();
      await takenBack();
      await deliver();
      expect([await used(), await setAside(), await sums()]).toEqual([0, 0, 0]);
    });
  },
);
