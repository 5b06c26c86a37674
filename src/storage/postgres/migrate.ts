import { readdirSync, readFileSync } from 'node:fs';
import { Client, DatabaseError } from 'pg';
import { connectTimeoutMs, connectionSettings } from './connection-pool.ts';
import { EncodingError, PostgresSchemaTooNewError, ReadOnlyError } from './open-error.ts';

/**
 * Migrates the tables to the current version; several nodes may do so concurrently. Rejects with
 * `PostgresSchemaTooNewError`, `ReadOnlyError`, `EncodingError`, or what `pg` throws.
 */
export async function migrate(url: string): Promise<void> {
  const client = new Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: migrationTimeoutMs,
  });
  // The interrupted call reports a broken connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkSettings(client);
    const migrations = readMigrations();
    if ((await versionOf(client)) !== migrations.length) await apply(client, migrations);
  } finally {
    client.connection.stream.destroy();
  }
}

/** Long enough to wait for another node that migrates large tables. */
const migrationTimeoutMs = 60_000;

const folder = new URL('./migrations/', import.meta.url);

/**
 * Reads the SQL migrations in order. New ones are added; released ones do not change, except that
 * they no longer create what a later one drops.
 */
function readMigrations(): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

async function apply(client: Client, migrations: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  // A pooler may return a connection with the statement timeout of a gateway.
  await client.query(`SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  // A second node waits here and then finds the tables up to date.
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('rdap-graphql-gateway'))`);
  await client.query('CREATE TABLE IF NOT EXISTS gateway_schema (version integer NOT NULL)');
  const version = await versionOf(client);
  if (version > migrations.length) throw new PostgresSchemaTooNewError(version, migrations.length);
  for (const migration of migrations.slice(version)) await client.query(migration);
  await client.query('DELETE FROM gateway_schema');
  await client.query('INSERT INTO gateway_schema VALUES ($1)', [migrations.length]);
  await client.query('COMMIT');
}

async function versionOf(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>('SELECT version FROM gateway_schema');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42P01') return 0; // no such table yet
    throw error;
  }
}

async function checkSettings(client: Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: string; encoding: string }>(
    `SELECT current_setting('transaction_read_only') AS "readOnly", current_setting('server_encoding') AS encoding`,
  );
  const [{ readOnly, encoding } = { readOnly: '', encoding: '' }] = rows;
  if (readOnly !== 'off') throw new ReadOnlyError();
  if (encoding !== 'UTF8') throw new EncodingError(encoding);
}
