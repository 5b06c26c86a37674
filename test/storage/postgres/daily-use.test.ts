import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFleet } from '../../support/gateways/fleet.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered } from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

it.skipIf(postgresMissing)(
  `a restarted node counts its share of what the nodes of a database have used of a daily allowance${skipped}`,
  async () => {
    await using registry = await startFakeRegistry();
    await using files = await scratch();
    registry.fallback(({ name }) => registered(name));
    const RDAP_LIMITS = join(files.path, 'limits.json');
    const limits = { [new URL(registry.baseUrl).host]: { rate: 0, perDay: 40 } };
    await writeFile(RDAP_LIMITS, JSON.stringify(limits));
    const options = {
      registries: { aa: registry.baseUrl },
      env: { RDAP_LIMITS, CLUSTER_SIZE: '2', RDAP_CONCURRENCY: '100' },
    };
    let storeUrl: string;
    {
      await using fleet = await startFleet(sharedPostgres, 2, options);
      ({ storeUrl } = fleet);
      expect(await countAnswered(fleet.nodes[0], 'a')).toBe(10);
    }
    await using gateway = await startGateway({
      ...options,
      env: { ...options.env, STORE_URL: storeUrl },
    });
    // 5 of its 20 are used.
    expect(await countAnswered(gateway, 'b')).toBe(5);
  },
);

/** Looks up 15 names. Returns how many the registry answered. */
async function countAnswered(gateway: Gateway, label: string): Promise<number> {
  const names = Array.from({ length: 15 }, (_, index) => `${label}${index}.aa`);
  const { results } = await gateway.get(`/v1/status?domain=${names.join()}`);
  return results.filter(({ status }: Json) => status === 'registered').length;
}
