import { Client, DatabaseError } from 'pg';

/** Opens a connection to a database. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client(url);
  // The next query of a closed connection reports it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Opens connections until the server accepts no more. */
export async function fillUp(url: string): Promise<Client[]> {
  const clients: Client[] = [];
  for (;;) {
    try {
      clients.push(await connectTo(url));
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '53300') return clients;
      throw error;
    }
  }
}

const endGateways = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rdap-graphql-gateway'`;

/**
 * Occupies all connections of a server, including those of gateways. The returned function releases
 * them.
 */
export async function takeAllConnections(url: string): Promise<() => Promise<void>> {
  const operator = await connectTo(url);
  const clients = [operator, ...(await fillUp(url))];
  // A gateway may reconnect before its connection is taken.
  while ((await operator.query(endGateways)).rowCount !== 0) clients.push(...(await fillUp(url)));
  return async () => void (await Promise.all(clients.map((client) => client.end())));
}
