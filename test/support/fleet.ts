import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';
import type { Postgres } from './postgres.ts';

/** Gateways that share one database, and nothing else. */
export interface FleetOfGateways extends AsyncDisposable {
  readonly nodes: readonly [Gateway, Gateway, ...Gateway[]];
  readonly storeUrl: string;
}

/**
 * Starts so many nodes, two or more, on a new database of that server. Their callers are not held back, nor is the registry spared, unless the
 * test says so.
 */
export async function startFleet(
  postgres: Postgres,
  count: number,
  options: GatewayOptions = {},
): Promise<FleetOfGateways> {
  await using parts = new AsyncDisposableStack();
  const storeUrl = await postgres.database();
  const env = { STORE_URL: storeUrl, RATE_LIMIT: '0', RDAP_RATE: '0', ...options.env };
  const start = async () => parts.use(await startGateway({ ...options, env }));
  const nodes: [Gateway, Gateway, ...Gateway[]] = [await start(), await start()];
  while (nodes.length < count) nodes.push(await start());
  const started = parts.move();
  return { nodes, storeUrl, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
