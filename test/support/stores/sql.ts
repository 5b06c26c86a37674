import { Client } from 'pg';
import type { Json } from '../gateways/gateway.ts';

/** Returns the rows of one statement, on a new connection. */
export function sql(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Json[]> {
  return withClient(url, async (client) => (await client.query<Json>(statement, [...values])).rows);
}

/** Repeats a query until it returns rows. */
export function untilFound(
  url: string,
  query: string,
  values: readonly unknown[] = [],
): Promise<Json[]> {
  return withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query<Json>(query, [...values]);
      if (rows.length > 0) return rows;
    }
  });
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
