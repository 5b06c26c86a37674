import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';
import type { Databases } from '../stores/postgres.ts';

/** Gateways in this process that share only a database. */
export interface FleetOfGateways extends AsyncDisposable {
  readonly nodes: readonly [Gateway, Gateway, ...Gateway[]];
  readonly storeUrl: string;
}

/**
 * Starts `count` nodes, at least two, on a new database of a server. Neither their clients nor
 * registries are rate-limited, unless the test sets limits.
 */
export async function startFleet(
  postgres: Databases,
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
