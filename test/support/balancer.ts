import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** What stands in front of several nodes, as a proxy does: takes turns, passes over nodes that are not ready, and asks nothing twice. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** From now on it may be given requests, once it is ready. */
  add(node: string): void;
}

/** The URL of the node that an answer comes from, or that failed to answer. */
export const nodeHeader = 'x-node';
/** Says of a 502 that it is the balancer's own. */
export const failedHeader = 'x-node-failed';

interface Node {
  readonly url: string;
  readonly agent: Agent;
  ready: boolean;
}

export async function startBalancer(): Promise<Balancer> {
  const nodes: Node[] = [];
  let turn = 0;
  const looking = setInterval(() => nodes.forEach(look), everyMs);

  /** A node that is not ready may serve all the same, and is better than none. */
  function order(): readonly Node[] {
    turn += 1;
    const from = turn % nodes.length;
    const inTurn = [...nodes.slice(from), ...nodes.slice(0, from)];
    return [...inTurn.filter(({ ready }) => ready), ...inTurn.filter(({ ready }) => !ready)];
  }

  const server = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    for (const node of order()) {
      if ((await forward(node, incoming, body, response)) === 'answered') return;
      node.ready = false;
    }
    fail(response, 'none', 'no node can be reached');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(url) {
      nodes.push({ url, agent: new Agent({ keepAlive: true }), ready: true });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      for (const { agent } of nodes) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const everyMs = 100;

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Only a request that was never sent may go elsewhere. */
async function forward(
  node: Node,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<'answered' | 'unsent'> {
  const { method, url = '', headers } = incoming;
  const { connection: _hop, ...passed } = headers;
  const sent = request(node.url + url, {
    method,
    agent: node.agent,
    headers: { ...passed, 'x-forwarded-for': '192.0.2.1' },
  });
  sent.end(body);
  let answer: IncomingMessage;
  try {
    [answer] = (await once(sent, 'response')) as [IncomingMessage];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'unsent';
    fail(response, node.url, String(error));
    return 'answered';
  }
  // It is about to stop: what it is sent later might come too late.
  if (answer.headers.connection === 'close') node.ready = false;
  const {
    connection: _close,
    'keep-alive': _alive,
    'transfer-encoding': _coding,
    ...kept
  } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, { ...kept, [nodeHeader]: node.url });
  // Whose answer it was must be known also where the first byte of its body never comes.
  response.flushHeaders();
  // What breaks off at either end breaks off at the other.
  await pipeline(answer, response).catch(() => response.destroy());
  return 'answered';
}

function fail(response: ServerResponse, node: string, why: string): void {
  response.writeHead(502, { [nodeHeader]: node, [failedHeader]: why }).end();
}

async function look(node: Node): Promise<void> {
  const asked = request(`${node.url}/ready`, { agent: false, timeout: 1000 }).end();
  asked.on('timeout', () => asked.destroy());
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    node.ready = answer.statusCode === 200;
  } catch {
    node.ready = false; // refused, or broken off: it is gone for now
  }
}
