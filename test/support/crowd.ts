import { Client, DatabaseError } from 'pg';

export async function connectTo(url: string): Promise<Client> {
  const client = new Client(url);
  // One that is killed is told by what it was asked next.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Takes all connections that a server has left. */
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

/** Takes all connections that a server has, those of the gateways too. Returns the way to give them back. */
export async function takeAllConnections(url: string): Promise<() => Promise<void>> {
  const clients = await fillUp(url);
  await clients[0]?.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rdap-graphql-gateway'`);
  clients.push(...(await fillUp(url)));
  return async () => void (await Promise.all(clients.map((client) => client.end())));
}
