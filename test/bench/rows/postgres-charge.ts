import { Pool } from 'pg';
import { generateKey, hashOf } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { startPostgres } from '../../support/stores/postgres.ts';
import {
  postgresAt,
  processorSeconds,
  processTree,
} from '../../support/requests/processor-time.ts';
import { alternate, compare, type Figure, type Scale } from '../figures.ts';

const callers = 32;

/**
 * The processor time of PostgreSQL for each charge: of 32 accounts, and of one with 32 callers. The
 * floor adds to a sum and inserts an entry, with a prepared statement. Linux only.
 */
export async function postgresCharge({ rounds, seconds }: Scale): Promise<readonly Figure[]> {
  await using postgres = await startPostgres();
  const charges = await openCharges(await postgres.database());
  await using floor = await openFloor(await postgres.database());
  const server = postgresAt(new URL(charges.url).port);
  const perCaller = Math.round(100 * seconds);

  /** Returns microseconds for each of the calls that 32 callers make at the same time. */
  async function microseconds(call: (caller: number) => Promise<unknown>): Promise<number> {
    const before = processorSeconds(processTree(server));
    const callInTurn = async (_: unknown, caller: number) => {
      for (let count = 0; count < perCaller; count += 1) await call(caller);
    };
    await Promise.all(Array.from({ length: callers }, callInTurn));
    return ((processorSeconds(processTree(server)) - before) * 1e6) / (callers * perCaller);
  }

  const add = () => microseconds((caller) => floor.add(caller));
  const figures = [
    compare(
      {
        id: 'postgres-charge',
        what: 'PostgreSQL: a charge of one of 32 accounts, compared with two writes',
        unit: 'µs',
        target: { atMost: 3 },
      },
      await alternate(rounds, () => microseconds((caller) => charges.charge(caller)), add),
    ),
    compare(
      {
        id: 'postgres-charge busy',
        what: 'PostgreSQL: a charge of one account by 32 callers, compared with two writes',
        unit: 'µs',
        target: { atMost: 0.3 },
      },
      await alternate(rounds, () => microseconds(() => charges.charge(0)), add),
    ),
  ];
  await charges.close();
  return figures;
}

async function openCharges(url: string) {
  const store = await openAccounts(url, { clock: systemClock, freeCredits: 1e12 });
  const plan = { name: 'Bench', credits: null, origins: [] };
  const accounts = await Promise.all(
    Array.from({ length: callers }, () => store.create(plan, hashOf(generateKey()))),
  );
  return {
    url,
    charge: (caller: number) => store.charge(accounts[caller]?.id ?? '', 1),
    close: () => store.close(),
  };
}

async function openFloor(url: string) {
  const pool = new Pool({ connectionString: url, max: 10 });
  await pool.query('CREATE TABLE sums (id integer PRIMARY KEY, sum bigint NOT NULL)');
  await pool.query(
    'CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sum integer, amount bigint)',
  );
  await pool.query('INSERT INTO sums SELECT id, 0 FROM generate_series(0, $1) id', [callers]);
  const text = `
    WITH added AS (UPDATE sums SET sum = sum + 1 WHERE id = $1 RETURNING id)
    INSERT INTO entries (sum, amount) SELECT id, 1 FROM added RETURNING id`;
  return {
    add: (caller: number) => pool.query({ name: 'add', text, values: [caller] }),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
