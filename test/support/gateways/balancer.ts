import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { startHttpServer } from '../servers/http-server.ts';

/**
 * A load balancer in front of several nodes: round-robin, prefers ready nodes, and never sends a
 * request twice.
 */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Adds a node, which gets requests once it is ready. */
  add(node: string): void;
}

/** The URL of the node that sent the response, or failed to. */
export const nodeHeader = 'x-node';
/** Marks a 502 of the balancer itself. */
export const failedHeader = 'x-node-failed';

interface Node {
  readonly url: string;
  readonly agent: Agent;
  ready: boolean;
}

/** Starts a load balancer without nodes. */
export async function startBalancer(): Promise<Balancer> {
  const nodes: Node[] = [];
  let turn = 0;
  const timer = setInterval(() => nodes.forEach(checkReadiness), checkIntervalMs);

  /**
   * Returns all nodes in round-robin order, ready ones first: a node that is not ready may still
   * serve requests.
   */
  function nodesInOrder(): readonly Node[] {
    turn += 1;
    const from = turn % nodes.length;
    const rotated = [...nodes.slice(from), ...nodes.slice(0, from)];
    return [...rotated.filter(({ ready }) => ready), ...rotated.filter(({ ready }) => !ready)];
  }

  const server = await startHttpServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    for (const node of nodesInOrder()) {
      if ((await forward(node, incoming, body, response)) === 'answered') return;
      node.ready = false;
    }
    fail(response, 'none', 'No node is reachable.');
  });
  return {
    url: server.url,
    add(url) {
      nodes.push({ url, agent: new Agent({ keepAlive: true }), ready: true });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const { agent } of nodes) agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

const checkIntervalMs = 100;

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Forwards a request. Only one that was never sent may be sent to another node. */
async function forward(
  node: Node,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<'answered' | 'unsent'> {
  const { method, url = '', headers } = incoming;
  const { connection: _hop, ...forwarded } = headers;
  const outgoing = request(node.url + url, {
    method,
    agent: node.agent,
    headers: { ...forwarded, 'x-forwarded-for': '192.0.2.1' },
  });
  outgoing.end(body);
  let answer: IncomingMessage;
  try {
    [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'unsent';
    fail(response, node.url, String(error));
    return 'answered';
  }
  // The node is about to stop: later requests might not be served.
  if (answer.headers.connection === 'close') node.ready = false;
  const {
    connection: _close,
    'keep-alive': _alive,
    'transfer-encoding': _coding,
    ...responseHeaders
  } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, { ...responseHeaders, [nodeHeader]: node.url });
  // The client must see the node's URL even if the body never arrives.
  response.flushHeaders();
  // If one side aborts, the other is aborted too.
  await pipeline(answer, response).catch(() => response.destroy());
  return 'answered';
}

function fail(response: ServerResponse, node: string, reason: string): void {
  response.writeHead(502, { [nodeHeader]: node, [failedHeader]: reason }).end();
}

async function checkReadiness(node: Node): Promise<void> {
  const probe = request(`${node.url}/ready`, { agent: false, timeout: 1000 }).end();
  probe.on('timeout', () => probe.destroy());
  try {
    const [answer] = (await once(probe, 'response')) as [IncomingMessage];
    answer.resume();
    node.ready = answer.statusCode === 200;
  } catch {
    node.ready = false; // connection refused or aborted
  }
}
