import { withTimeLimit, type Clock } from '../clock.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import { dayMs } from './schedule.ts';

/**
 * Returns a function that counts what is watched; calls at the same time share one count. It rejects if
 * the database fails.
 */
export function watchNumbers({ query }: SqlDatabase, clock: Clock) {
  let counting: ReturnType<typeof count> | undefined;
  const count = async () => {
    const now = clock.now();
    const names = `SELECT count(*) AS names, min(next_look) AS oldest,
      count(CASE WHEN next_look <= $1 THEN 1 END) AS due FROM watched_names`;
    const [row] = await query<Record<string, number | null>>(
      `SELECT names, oldest, due, (SELECT count(*) FROM watches WHERE ended = 0) AS watches,
         (SELECT count(*) FROM changes WHERE seen_at > $2) AS "changesOfLastDay"
       FROM (${names}) AS of_names`,
      [now, now - dayMs],
    );
    const hooks = await query<{ state: string; count: number }>(
      `SELECT CASE WHEN disabled = 1 THEN 'disabled' WHEN failing_since IS NULL THEN 'ok' ELSE 'failing' END
       AS state, count(*) AS count FROM webhooks GROUP BY 1`,
    );
    const ofState = (state: string) => hooks.find((each) => each.state === state)?.count ?? 0;

    return {
      watches: row?.['watches'] ?? 0,
      names: row?.['names'] ?? 0,
      due: row?.['due'] ?? 0,
      lagMs: Math.max(0, now - (row?.['oldest'] ?? now)),
      changesOfLastDay: row?.['changesOfLastDay'] ?? 0,
      webhooks: { ok: ofState('ok'), failing: ofState('failing'), disabled: ofState('disabled') },
    };
  };

  return async () => {
    counting ??= count().finally(() => (counting = undefined));
    const numbers = await withTimeLimit(counting, { clock, ms: maxCountMs });
    if (!numbers) throw new Error('The database did not respond in time.');
    return numbers;
  };
}

/** Metrics and the operator page do not wait longer for a database that does not respond. */
const maxCountMs = 1000;
