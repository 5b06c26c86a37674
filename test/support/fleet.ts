import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';
import type { Postgres } from './postgres.ts';
import { untilFound } from './sql.ts';

/** Gateways that share one database, and nothing else. */
export interface FleetOfGateways extends AsyncDisposable {
  readonly nodes: readonly [Gateway, Gateway, ...Gateway[]];
  readonly storeUrl: string;
  /** Settles when every node has seen all the others. */
  acquainted(): Promise<void>;
}

/**
 * Starts so many nodes, two or more, on a new database of that server. Their callers are not held back, nor is the registry spared, unless the
 * test says so.
 */
export async function startFleet(postgres: Postgres, count: number, options: GatewayOptions = {}): Promise<FleetOfGateways> {
  await using parts = new AsyncDisposableStack();
  const storeUrl = await postgres.database();
  const env = { STORE_URL: storeUrl, RATE_LIMIT: '0', RDAP_RATE: '0', ...options.env };
  const start = async () => parts.use(await startGateway({ ...options, env }));
  const nodes: [Gateway, Gateway, ...Gateway[]] = [await start(), await start()];
  while (nodes.length < count) nodes.push(await start());
  const started = parts.move();
  return { nodes, storeUrl, acquainted: () => acquainted(storeUrl, nodes.length), [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Whoever has said that he lives since the last one joined has heard of him. */
async function acquainted(storeUrl: string, count: number): Promise<void> {
  const [joined] = await untilFound(storeUrl, 'SELECT max(seen_at) AS at FROM nodes HAVING count(*) = $1', [count]);
  await untilFound(storeUrl, 'SELECT 1 FROM nodes HAVING min(seen_at) > $1', [joined.at]);
}
