import type { SqlDatabase } from '../../shared/sql-database.ts';
import type { Database } from './database.ts';
import { postgresDialect } from './dialect.ts';

/** Returns the tables of watches in a database that several nodes share and that stays open. */
export function postgresSql(database: Database): SqlDatabase {
  return {
    dialect: postgresDialect,
    query: (sql, params) => database.rows(sql, storable(params)),
    transaction: (work) =>
      database.transaction(async (run) => {
        const query: typeof run = (sql, params) => run(sql, storable(params));
        // Held until the transaction ends, so that the next one sees what this one has written.
        await query(`SELECT pg_advisory_xact_lock(hashtext('rdap-graphql-gateway watches'))`);
        return work(query);
      }),
    close: async () => undefined,
  };
}

/** PostgreSQL stores no NUL and rejects parameters with one, which then match no row. */
function storable<T>(params: readonly T[] = []): readonly T[] {
  return params.map((each) =>
    typeof each === 'string' ? (each.replaceAll('\0', '\uFFFD') as T) : each,
  );
}
