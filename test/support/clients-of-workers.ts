import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GatewayProcess } from './gateway-process.ts';

export interface Client {
  /** The process at the other end of its one connection. */
  readonly worker: number;
  ask(path: string): Promise<IncomingMessage>;
}

/** At least twenty clients, and as many as it takes for each worker to have one. Each has asked for nothing, once. */
export async function clientsOfBoth(gateway: GatewayProcess, url: string): Promise<readonly Client[]> {
  const clients: Client[] = [];
  while (clients.length < 20 || new Set(clients.map(({ worker }) => worker)).size < 2) {
    clients.push(...(await Promise.all(Array.from({ length: 10 }, () => newClient(gateway, url)))));
  }
  return clients;
}

async function newClient(gateway: GatewayProcess, url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (path: string) => {
    const [answer] = (await once(request(url + path, { agent }).end(), 'response')) as [IncomingMessage];
    await text(answer);
    return answer;
  };
  const requestId = (await ask('/nothing')).headers['x-request-id'];
  const { worker } = await gateway.logged((line) => line.requestId === requestId);
  return { worker, ask };
}
