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

const endGateways = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rdap-graphql-gateway'`;

/** Takes all connections that a server has, those of the gateways too. Returns the way to give them back. */
export async function takeAllConnections(url: string): Promise<() => Promise<void>> {
  const operator = await connectTo(url);
  const clients = [operator, ...(await fillUp(url))];
  // A gateway may be quicker to come back than others are to take its place.
  while ((await operator.query(endGateways)).rowCount !== 0) clients.push(...(await fillUp(url)));
  return async () => void (await Promise.all(clients.map((client) => client.end())));
}
