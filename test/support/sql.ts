import { Client } from 'pg';
import type { Json } from './gateway.ts';

/** The rows of one statement, on a connection of its own. */
export function sql(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Json[]> {
  return connected(url, async (client) => (await client.query<Json>(statement, [...values])).rows);
}

/** The rows of a query, as soon as there are any. */
export function untilFound(
  url: string,
  query: string,
  values: readonly unknown[] = [],
): Promise<Json[]> {
  return connected(url, async (client) => {
    for (;;) {
      const { rows } = await client.query<Json>(query, [...values]);
      if (rows.length > 0) return rows;
    }
  });
}

async function connected<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
