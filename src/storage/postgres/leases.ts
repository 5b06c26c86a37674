import type { Claim, FlightState, Leases, Standing } from '../../cache/leases.ts';
import { systemClock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import type { Database } from './database.ts';
import { DatabaseAway } from './database-away.ts';
import { grouped } from './grouped.ts';

/** A node that died is not waited for any longer. */
const leaseMs = 2000;

/** Leases that all who share the database keep to. `take` rejects as `Database.rows` does. */
export function postgresLeases(database: Database, log: Log): Leases {
  const waiting = new Map<string, Set<() => void>>();

  const take = grouped(async (claims: readonly NamedClaim[]) => {
    const columns = [claims.map(({ name }) => name), claims.map(({ urgency }) => urgency)];
    const times = [claims.map(({ known }) => known), claims.map(({ awaited }) => awaited ?? null)];
    const rows = await database.rows<TakenRow>(takeLeases, [...columns, ...times, leaseMs]);
    return rows.map(standingOf);
  });

  const note = grouped(async (flights: readonly NotedFlight[]) => {
    const columns = [flights.map(({ name }) => name), flights.map(({ flight }) => flight), flights.map(({ state }) => state)];
    await database.rows(noteFlights, [...columns, flights.map(({ failure }) => failure ?? null), leaseMs]);
    return flights;
  });

  function wakeAll(): void {
    for (const name of waiting.keys()) wake(name);
  }

  function wake(name: string): void {
    for (const resolve of waiting.get(name) ?? []) resolve();
  }

  database.listen('leases', wake, wakeAll);

  return {
    take: (name, claim) => take({ name, ...claim }),
    note(name, flight, state) {
      note({ name, flight, ...state }).catch((error: unknown) => {
        if (!(error instanceof DatabaseAway)) log.error({ err: error }, 'the other nodes could not be told of a lookup');
      });
    },
    async untilNews(name, ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancelTimer = systemClock.after(ms, resolve);
      const heard = waiting.get(name) ?? new Set();
      waiting.set(name, heard.add(resolve));
      await promise;
      cancelTimer();
      heard.delete(resolve);
      if (heard.size === 0) waiting.delete(name);
    },
  };
}

type NamedClaim = Claim & { readonly name: DomainName };
type NotedFlight = FlightState & { readonly name: DomainName; readonly flight: number; readonly failure?: string | undefined };

interface TakenRow {
  readonly state: Standing['state'];
  readonly number: number;
  readonly why: string | null;
}

function standingOf({ state, number, why }: TakenRow): Standing {
  return state === 'landed' ? { state, failure: why ?? undefined } : { state, flight: number };
}

const takeLeases = 'SELECT state, number, why FROM take_leases($1, $2, $3, $4, $5) ORDER BY place';
const noteFlights = 'SELECT note_flights($1, $2, $3, $4, $5)';
