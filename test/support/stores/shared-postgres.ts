import { inject } from 'vitest';
import type { Databases } from './postgres.ts';
import { sql } from './sql.ts';

const created = new Set<string>();

/** The PostgreSQL server of the test run, for tests that neither stop it nor change its settings. */
export const sharedPostgres: Databases = {
  async database() {
    const response = await fetch(inject('postgres'));
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    created.add(text);
    return text;
  },
};

/** Drops the databases that a file has created. */
export async function dropDatabases(): Promise<void> {
  for (const url of created)
    await sql(
      new URL('/postgres', url).href,
      `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
    );
  created.clear();
}
