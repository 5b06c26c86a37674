import { Client } from 'pg';
import type { Json } from './gateway.ts';

/** The rows of one statement, on a connection of its own. */
export async function sql(url: string, statement: string): Promise<Json[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Json>(statement)).rows;
  } finally {
    await client.end();
  }
}
