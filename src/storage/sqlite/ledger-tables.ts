import type { DatabaseSync } from 'node:sqlite';
import type { Discrepancy, Reservation, Usage } from '../../accounts/store.ts';
import type { Charge, Moment, Tables, Tally } from '../tables.ts';
import type { accountTables } from './account-tables.ts';
import type { idempotencyTables } from './idempotency-tables.ts';

// A refund names the reservation's entry that it takes back. Entries are only ever added; `reservations` holds the open ones alone.
export const ledgerSchema = `
  CREATE TABLE counters (
    account_id TEXT NOT NULL REFERENCES accounts,
    month TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    month TEXT NOT NULL,
    amount INTEGER NOT NULL,
    at INTEGER NOT NULL,
    corrects INTEGER
  ) STRICT;
  CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    month TEXT NOT NULL,
    amount INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE probes (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;`;

/** What the file does beside what `accountStore` wants of it. */
export interface JoinedCharges {
  /** Charges for good as one, of their sum; where that does not fit, each alone, in turn. */
  chargeAll(accountId: string, amounts: readonly number[], moment: Moment): Charge | readonly Charge[];
}

/** What was used in each month, and the entries that it is the sum of. Blocks; throws what SQLite throws. */
export function ledgerTables(
  database: DatabaseSync,
): Omit<Tables, keyof (ReturnType<typeof accountTables> & ReturnType<typeof idempotencyTables>)> & JoinedCharges {
  const { count, enter, open, close, correct, dangling, tally, usage, check, probe } = prepare(database);

  function tallyOf(accountId: string, { month, freeCredits }: Moment): Tally {
    const found = tally.get({ accountId, month, freeCredits }) as Omit<Tally, 'month'> | undefined;
    return { ...(found ?? { limit: 0, used: 0 }), month };
  }

  function correctEntry({ id, accountId, month, amount }: Reservation, charged: number, now: number): void {
    // One that is not open any more was refunded by another gateway, which took this one for dead: the charge is owed all the same.
    const change = charged - (close.run(id).changes === 1 ? amount : 0);
    if (change === 0) return;
    correct.run(change, accountId, month);
    enter.run(accountId, month, change, now, id);
  }

  const charge: Tables['charge'] = (accountId, amount, forGood, moment) => {
    const { month, freeCredits, now } = moment;
    const fits = count.get({ accountId, month, amount, freeCredits }) !== undefined;
    const entry = fits ? Number(enter.run(accountId, month, amount, now, null).lastInsertRowid) : undefined;
    if (entry !== undefined && !forGood) open.run(entry, accountId, month, amount);
    return { entry, ...tallyOf(accountId, moment) };
  };

  return {
    charge,
    chargeAll(accountId, amounts, moment) {
      const total = amounts.reduce((sum, amount) => sum + amount, 0);
      const all = charge(accountId, total, true, moment);
      return all.entry === undefined ? amounts.map((amount) => charge(accountId, amount, true, moment)) : all;
    },
    settle(reservation, charged, moment) {
      correctEntry(reservation, charged, moment.now);
      return tallyOf(reservation.accountId, moment);
    },
    tally: tallyOf,
    refundDangling({ now }) {
      const found = dangling.all() as unknown as Reservation[];
      for (const reservation of found) correctEntry(reservation, 0, now);
      return found.length;
    },
    usage: () => usage.all() as unknown as Usage[],
    check: () => check.all() as unknown as Discrepancy[],
    probe: ({ now }) => void probe.run(now),
  };
}

function prepare(database: DatabaseSync) {
  return {
    // Whether there is enough and taking it are one statement: between a look and a charge, another process could spend the same credit.
    count: database.prepare(
      `INSERT INTO counters (account_id, month, used)
       SELECT id, :month, :amount FROM accounts WHERE id = :accountId AND :amount <= coalesce(credits, :freeCredits)
       ON CONFLICT (account_id, month) DO UPDATE SET used = used + excluded.used
         WHERE used + excluded.used <= (SELECT coalesce(credits, :freeCredits) FROM accounts WHERE id = :accountId)
       RETURNING used`,
    ),
    enter: database.prepare('INSERT INTO entries (account_id, month, amount, at, corrects) VALUES (?, ?, ?, ?, ?)'),
    open: database.prepare('INSERT INTO reservations (id, account_id, month, amount) VALUES (?, ?, ?, ?)'),
    close: database.prepare('DELETE FROM reservations WHERE id = ?'),
    correct: database.prepare('UPDATE counters SET used = used + ? WHERE account_id = ? AND month = ?'),
    dangling: database.prepare('SELECT id, account_id AS accountId, month, amount FROM reservations'),
    tally: database.prepare(
      `SELECT coalesce(credits, :freeCredits) AS "limit",
         coalesce((SELECT used FROM counters WHERE account_id = :accountId AND month = :month), 0) AS used
       FROM accounts WHERE id = :accountId`,
    ),
    usage: database.prepare('SELECT account_id AS accountId, month, used FROM counters ORDER BY month DESC, account_id'),
    check: database.prepare(
      `SELECT account_id AS accountId, month, coalesce(used, 0) AS used, coalesce(entered, 0) AS entered
       FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month)
         USING (account_id, month)
       WHERE used IS NOT entered`,
    ),
    probe: database.prepare('INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at'),
  };
}
