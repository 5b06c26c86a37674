import { randomUUID } from 'node:crypto';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Database } from './database.ts';

/** This process among those that share the database. */
export interface Node {
  readonly id: string;
  /** The ones that have died: none of 15 beats of ours that the database took found a sign of life. A database that was away makes nobody dead. */
  gone(): readonly string[];
  /** How many serve now, this one included, as far as the last beat told. */
  serving(): number;
  /** Tells the others, now and every second, that this process lives; calls `bury` when one of them does not any more. */
  live(bury: () => Promise<void>): void;
  /** Is seen no more. Never rejects. */
  leave(): Promise<void>;
}

export function joinNodes(database: Database, log: Log): Node {
  const id = randomUUID();
  const others = new Map<string, Sign>();
  let cancel: (() => void) | undefined;
  let left = false;
  const gone = () => Array.from(others).flatMap(([other, { silent }]) => (silent >= silentBeats ? [other] : []));

  async function beat(bury: () => Promise<void>): Promise<void> {
    notice(others, await database.rows<Seen>(beatAndLook, [id]));
    if (gone().length === 0) return;
    await bury();
    await database.rows('DELETE FROM nodes WHERE id = ANY($1) AND seen_at < epoch_ms() - $2', [gone(), silentBeats * everyMs]);
  }

  async function live(bury: () => Promise<void>): Promise<void> {
    await beat(bury).catch((error: unknown) => log.debug({ err: error }, 'could not say that this node lives'));
    if (!left) cancel = systemClock.after(everyMs, () => void live(bury));
  }

  return {
    id,
    gone,
    serving: () => Array.from(others.values()).filter(({ silent }) => silent < absentBeats).length + 1,
    live: (bury) => void live(bury),
    async leave() {
      left = true;
      cancel?.();
      // Where it cannot say so, the others find out.
      await database.rows('DELETE FROM nodes WHERE id = $1', [id]).catch(() => undefined);
    },
  };
}

const everyMs = 1000;
const silentBeats = 15;
const absentBeats = 5;

interface Seen {
  readonly id: string;
  readonly seenAt: number;
}

interface Sign {
  readonly seenAt: number;
  /** Beats of ours since then. */
  readonly silent: number;
}

function notice(others: Map<string, Sign>, seen: readonly Seen[]): void {
  const silentSince = new Map(others);
  others.clear();
  for (const { id, seenAt } of seen) {
    const before = silentSince.get(id);
    others.set(id, { seenAt, silent: before?.seenAt === seenAt ? before.silent + 1 : 0 });
  }
}

// One that set credits aside and has no row lives, and has not said so again yet, or was buried before the last that it sent arrived.
const beatAndLook = `
  WITH beat AS (
    INSERT INTO nodes (id, seen_at) VALUES ($1, epoch_ms()) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
  )
  SELECT id, seen_at AS "seenAt" FROM nodes WHERE id <> $1
  UNION ALL
  SELECT DISTINCT node, 0 FROM reservations WHERE node <> $1 AND NOT EXISTS (SELECT FROM nodes WHERE id = node)`;
