import { startBenchGateway, type BenchGateway } from './bench-gateway.ts';
import { evenPlan, startRegistries } from './servers/registries.ts';

/** A gateway that has cached the names that it will be queried for. */
export interface WarmGateway extends BenchGateway {
  /** Registered names with large records under one TLD. */
  readonly names: readonly string[];
  readonly tld: string;
}

const nameCount = 100;

/** Starts a gateway, by default that of the working tree, and looks up a hundred names. */
export async function startWarmGateway(tree?: string): Promise<WarmGateway> {
  await using parts = new AsyncDisposableStack();
  const plan = evenPlan(1, 1);
  const registries = parts.use(await startRegistries({ plan, latencyMs: 0, large: true }));
  const gateway = parts.use(
    await startBenchGateway({
      registries,
      env: { RDAP_RATE: '0' },
      ...(tree !== undefined && { tree }),
    }),
  );
  const tld = plan[0]?.[0] ?? '';
  const names = Array.from({ length: nameCount }, (_, index) => `held-${index}.${tld}`);
  const body = JSON.stringify({ domains: names });
  const answer = await gateway.text('/v1/status/bulk', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { registered } = JSON.parse(answer).meta;
  if (registered !== nameCount)
    throw new Error(`Only ${registered} of ${nameCount} names were found.`);
  const running = parts.move();
  return { ...gateway, names, tld, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
