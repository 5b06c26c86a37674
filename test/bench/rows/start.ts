import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startProcess } from '../../support/gateways/gateway-process.ts';
import { scratch } from '../../support/stores/scratch.ts';
import { compare, alternate, type Figure, type Scale } from '../figures.ts';
import { evenPlan, startRegistries, type Registries } from '../servers/registries.ts';

/**
 * Time from the start of the process to the first answer from a registry, compared with a Node
 * process that does nothing.
 */
export async function start({ rounds }: Scale): Promise<readonly Figure[]> {
  await using registries = await startRegistries({ plan: evenPlan(300, 60), latencyMs: 0 });
  const pairs = await alternate(rounds, () => firstAnswer(registries), startEmptyNode);
  return [
    compare(
      { id: 'start', what: 'start to first answer: node -e 0', unit: 'ms', target: { atMost: 12 } },
      pairs,
    ),
  ];
}

async function firstAnswer({ bootstrapUrl }: Registries): Promise<number> {
  await using folder = await scratch();
  const settings = {
    PORT: '0',
    STORE_URL: folder.storeUrl,
    RDAP_BOOTSTRAP_URL: bootstrapUrl,
    RDAP_ALLOW_PRIVATE: 'true',
  };
  const startedAt = performance.now();
  await using gateway = startProcess({ PATH: process.env['PATH'] ?? '', ...settings });
  const { url } = await gateway.logged('listening');
  const response = await fetch(new URL('/v1/status?name=held&tlds=benchaa', url));
  const text = await response.text();
  if (!text.includes('"registered"')) throw new Error(text);
  const durationMs = performance.now() - startedAt;
  // Stopped like by an operator, so that compiled code is cached for the next start.
  gateway.kill('SIGTERM');
  await gateway.ended;
  return durationMs;
}

async function startEmptyNode(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startedAt;
}
