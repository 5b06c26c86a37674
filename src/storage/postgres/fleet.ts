import type { Log } from '../../log.ts';
import type { LaneLimits } from '../../registries/allowance.ts';
import type { Fleet, Leave, Stand } from '../../registries/fleet.ts';
import { DatabaseAway } from './database-away.ts';
import type { Database } from './database.ts';
import type { Node } from './nodes.ts';

/** What a node that has died had in flight is not waited for any longer. */
const heldForMs = 2000;

/** Manners that all who share the database keep together; `node` is this process among them. `turn` rejects as `Database.rows` does. */
export function postgresFleet(database: Database, node: Pick<Node, 'id' | 'serving'>, log: Log): Fleet {
  const listeners = new Map<string, (closedMs: number) => void>();
  database.listen(
    'fleet',
    (payload) => {
      const news = readNews(payload);
      if (news && news.node !== node.id) listeners.get(news.origin)?.(news.closedMs);
    },
    () => {
      for (const hear of listeners.values()) hear(0);
    },
  );

  async function turn(origin: string, limits: LaneLimits, stand: Stand, tries = mostTries): Promise<Leave> {
    const { rate, burst, concurrency, perDay = null } = limits;
    const { held, unused, wanted, closedMs } = stand;
    const values = [rate, burst, concurrency, perDay, held, unused, wanted, Math.ceil(closedMs), heldForMs];
    try {
      const [leave] = await database.rows<Leave>(takeTurn, [origin, node.id, ...values]);
      if (!leave) throw new Error('fleet_turn gave no answer');
      return leave;
    } catch (error) {
      // The database is there, and had too much to do: that is no reason to go on alone. What was given back may have arrived already.
      if (database.away || tries === 1 || !(error instanceof DatabaseAway)) throw error;
      return turn(origin, limits, error.mayHaveRun ? { ...stand, unused: 0 } : stand, tries - 1);
    }
  }

  return {
    async turn(origin, limits, stand) {
      try {
        return await turn(origin, limits, stand);
      } catch (error) {
        if (!(error instanceof DatabaseAway)) log.error({ err: error }, 'the nodes cannot agree on what a registry is asked');
        throw error;
      }
    },
    listen(origin, onNews) {
      listeners.set(origin, onNews);
      return () => void listeners.delete(origin);
    },
    get nodes() {
      return node.serving();
    },
  };
}

/** What nodes tell each other of a host. */
interface News {
  readonly origin: string;
  readonly node: string;
  readonly closedMs: number;
}

/** Undefined for what is none: whoever may connect to the database may send notices. */
function readNews(payload: string): News | undefined {
  try {
    return (JSON.parse(payload) as News | null) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const mostTries = 5;

const takeTurn = 'SELECT * FROM fleet_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
