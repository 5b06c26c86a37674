import type { Discrepancy, Reservation, Usage } from '../../accounts/store.ts';
import type { RemoteMethods, Tables, Tally } from '../tables.ts';
import { newChargeId } from './charge-id.ts';
import { DatabaseAway } from './database-away.ts';
import { theRow, type Database } from './database.ts';
import { createDoubts } from './doubts.ts';
import type { Node } from './nodes.ts';
import type { TimeOf } from './time-of.ts';

type Methods = Exclude<
  keyof Tables,
  'create' | 'list' | 'change' | 'rotate' | 'revoke' | 'findByHash' | 'lookAtKey' | 'claimKey' | 'oweUnderKey'
>;

export interface LedgerTables extends RemoteMethods<Methods> {
  /** Takes back, if it can, what was sent and not answered. */
  close(): Promise<void>;
}

/** What was used in each month, and the entries that it is the sum of. Rejects with `DatabaseAway`: then nothing counts. */
export function ledgerTables(database: Database, timeOf: TimeOf, node: Pick<Node, 'id' | 'gone'>): LedgerTables {
  const doubts = createDoubts((charge) => database.rows('SELECT settle_charge($1, NULL, NULL, 0, 2, NULL)', [charge]));
  // How often it was tried to settle what could not be settled yet.
  const attempts = new Map<Reservation['id'], number>();

  return {
    async charge(accountId, amount, forGood, { now, freeCredits }) {
      const id = newChargeId();
      const values = [id, accountId, amount, forGood ? null : node.id, freeCredits, timeOf(now)];
      try {
        const { granted, ...tally } = theRow(await database.rows<Tally & { granted: boolean }>(charge, values));
        return { entry: granted ? id : undefined, ...tally };
      } catch (error) {
        if (error instanceof DatabaseAway && error.mayHaveRun) doubts.add(id);
        throw error;
      }
    },
    async settle({ id, accountId, month }, charged, { now, freeCredits }) {
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      const values = [id, accountId, month, charged, attempt, freeCredits, timeOf(now)];
      const tally = theRow(await database.rows<Tally>(settle, values));
      attempts.delete(id);
      return tally;
    },
    tally: async (accountId, { now, freeCredits }) =>
      theRow(await database.rows<Tally>(`SELECT ${tallied} FROM tally($1, $2, $3)`, [accountId, freeCredits, timeOf(now)])),
    async refundDangling({ now }) {
      const gone = node.gone();
      if (gone.length === 0) return 0;
      const open = await database.rows<{ charge: string }>('SELECT charge FROM reservations WHERE node = ANY($1)', [gone]);
      let refunded = 0;
      for (const reservation of open) {
        const [done] = await database.rows<{ settled: boolean }>(refund, [reservation.charge, timeOf(now)]);
        if (done?.settled) refunded += 1;
      }
      return refunded;
    },
    usage: async () => [...(await database.rows<Usage>(usage))],
    check: async () => [...(await database.rows<Discrepancy>(check))],
    probe: async ({ now }) => void (await database.rows(probe, [timeOf(now)])),
    close: doubts.settle,
  };
}

const tallied = 'of_limit AS "limit", used_up AS used, in_month AS month';
const charge = `SELECT granted, ${tallied} FROM charge_credits($1, $2, $3, $4, $5, $6)`;
const settle = `SELECT ${tallied} FROM settle_credits($1, $2, $3, $4, $5, $6, $7)`;
const refund = 'SELECT settle_charge($1, NULL, NULL, 0, 0, $2) AS settled';
const usage = 'SELECT account_id AS "accountId", month, used FROM counters ORDER BY month DESC, account_id';
const check = `
  SELECT account_id AS "accountId", month, coalesce(used, 0) AS used, coalesce(entered, 0)::bigint AS entered
  FROM counters FULL JOIN (SELECT account_id, month, sum(amount) AS entered FROM entries GROUP BY account_id, month) AS sums
    USING (account_id, month)
  WHERE used IS DISTINCT FROM entered`;
const probe = 'INSERT INTO probes (id, at) VALUES (1, coalesce($1, epoch_ms())) ON CONFLICT (id) DO UPDATE SET at = excluded.at';
