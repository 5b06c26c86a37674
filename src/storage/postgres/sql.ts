import type { SqlDatabase, SqlParams } from '../../shared/sql-database.ts';
import { storeUnavailable } from '../store-unavailable.ts';
import { DatabaseUnavailableError } from './database-errors.ts';
import type { Database } from './database.ts';
import { postgresDialect } from './dialect.ts';

/** Returns the tables of watches in a database that several nodes share and that stays open. */
export function postgresSql(database: Database): SqlDatabase {
  return {
    dialect: postgresDialect,
    query: <Row>(sql: string, params?: SqlParams) =>
      database.rows<Row>(sql, storable(params)).catch(rejectWith),
    transaction: (work) =>
      database
        .transaction(async (run) => {
          const query: typeof run = (sql, params) => run(sql, storable(params));
          // Held until the transaction ends, so that the next one sees what this one has written.
          await query(`SELECT pg_advisory_xact_lock(hashtext('rdap-graphql-gateway watches'))`);
          return work(query);
        })
        .catch(rejectWith),
    close: async () => undefined,
  };
}

function rejectWith(error: unknown): never {
  throw error instanceof DatabaseUnavailableError ? storeUnavailable(error) : error;
}

/** PostgreSQL stores no NUL and rejects parameters with one, which then match no row. */
function storable<T>(params: readonly T[] = []): readonly T[] {
  return params.map((each) =>
    typeof each === 'string' ? (each.replaceAll('\0', '\uFFFD') as T) : each,
  );
}
