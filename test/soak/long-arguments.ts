// Sends the longest texts and lists that the limits allow to every argument of GraphQL (alone, and
// with as many aliases as are allowed), REST and MCP, one request at a time. Prints the processor
// time of each request and of its longest turn of the event loop, both with the client, which is in
// the same process: `node test/soak/long-arguments.ts`. `--all` prints every request, not only those
// above the goals.
import { startGateway } from '../support/gateways/gateway.ts';
import {
  graphqlRequests,
  mcpRequests,
  restRequests,
  type LongRequests,
} from '../support/bodies/long-arguments.ts';

const maxTotalMs = 200;
const maxTurnMs = 50;
/** A turn that only repeats the measurement takes a tenth of this. */
const minTurnMs = 0.05;

interface Cost {
  readonly what: string;
  readonly status: number;
  readonly totalMs: number;
  readonly turnMs: number;
}

await using gateway = await startGateway({ env: { RATE_LIMIT: '0', RDAP_RATE: '0' } });
await gateway.get('/v1/email/blacklist?limit=1'); // loads the list
const groups: Readonly<Record<string, LongRequests>> = {
  'GraphQL, alone': graphqlRequests(gateway, 1),
  'GraphQL, all aliases': graphqlRequests(gateway),
  'REST and RDAP': restRequests(gateway),
  MCP: await mcpRequests(gateway),
};

for (const [group, requests] of Object.entries(groups)) {
  const costs: Cost[] = [];
  for (const [what, send] of requests) costs.push(await cheapest(what, send));
  const isAbove = ({ totalMs, turnMs }: Cost) => totalMs > maxTotalMs || turnMs > maxTurnMs;
  const above = costs.filter((cost) => process.argv.includes('--all') || isAbove(cost));
  const most = (key: 'totalMs' | 'turnMs') =>
    Math.round(Math.max(...costs.map((cost) => cost[key])));
  console.log(
    `${group}: ${requests.length} requests, at most ${most('totalMs')} ms, longest turn ${most('turnMs')} ms`,
  );
  for (const { what, status, totalMs, turnMs } of above.toSorted((a, b) => b.totalMs - a.totalMs))
    console.log(
      `${totalMs.toFixed(0).padStart(7)} ${turnMs.toFixed(0).padStart(5)} ${status} ${what}`,
    );
}

/** Measures a request again if it is above the goals: the first one compiles code, and collects garbage. */
async function cheapest(what: string, send: () => Promise<Response>): Promise<Cost> {
  let best: Cost | undefined;
  for (let run = 0; run < 3; run += 1) {
    const cost = await measure(what, send);
    if (!best || cost.totalMs < best.totalMs) best = cost;
    if (best.totalMs <= maxTotalMs && best.turnMs <= maxTurnMs) break;
  }
  return best ?? measure(what, send);
}

async function measure(what: string, send: () => Promise<Response>): Promise<Cost> {
  const turns = watchTurns();
  const response = await send();
  await response.text();
  return { what, status: response.status, ...turns.stop() };
}

/** Measures the processor time of the main thread in each turn of the event loop. */
function watchTurns() {
  const cost = { totalMs: 0, turnMs: 0 };
  let last = process.threadCpuUsage();
  let next: NodeJS.Immediate;
  const endTurn = () => {
    const { user, system } = process.threadCpuUsage(last);
    const ms = (user + system) / 1000;
    cost.turnMs = Math.max(cost.turnMs, ms);
    cost.totalMs += ms > minTurnMs ? ms : 0;
    last = process.threadCpuUsage();
    next = setImmediate(endTurn);
  };
  next = setImmediate(endTurn);
  const stop = () => {
    clearImmediate(next);
    return cost;
  };
  return { stop };
}
