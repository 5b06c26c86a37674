import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFleet } from '../../support/gateways/fleet.ts';
import type { Gateway } from '../../support/gateways/gateway.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { scrapeUntil } from '../../support/checks/scrape.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { sql, untilFound } from '../../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

describe.skipIf(postgresMissing)(
  `nodes that share a database, after a registry returned Retry-After,${skipped}`,
  () => {
    let registry: FakeRegistry;

    beforeEach(async () => {
      registry = await forThisTest(startFakeRegistry);
      registry.fallback(({ name }) => registered(name));
      registry.on(/^busy/, status(429, { 'retry-after': '100' }));
    });

    async function start(env: Record<string, string> = {}) {
      const clock = jumpingClock();
      const fleet = await forThisTest(startFleet, sharedPostgres, 2, {
        registries: { aa: registry.baseUrl },
        clock,
        env,
      });
      return { ...fleet, clock };
    }

    it('send no requests to it until then', async () => {
      const { nodes, clock } = await start();
      const [node, other] = nodes;
      expect(await lookUp(other, 'first.aa')).toEqual(['registered']);
      expect(await lookUp(node, 'busy.aa')).toEqual(['registry_busy']);
      await untilBackedOff(other);
      const sent = registry.requests.length;
      expect(await lookUp(other, 'a.aa', 'b.aa')).toEqual(['registry_busy', 'registry_busy']);
      expect(registry.requests).toHaveLength(sent);
      clock.advance(101_000);
      expect(await lookUp(other, 'a.aa', 'b.aa')).toEqual(['registered', 'registered']);
    });

    it('reject queued lookups of other nodes immediately if their deadline is earlier', async () => {
      const { nodes } = await start({
        RDAP_CONCURRENCY: '1',
        QUEUE_TIMEOUT_MS: '60000',
        RDAP_TIMEOUT_MS: '60000',
      });
      const [node, other] = nodes;
      const first = paused(({ name }) => registered(name));
      registry.on('first.aa', first);
      const inFlight = lookUp(other, 'first.aa');
      await registry.whenRequested('first.aa');
      const queued = lookUp(other, 'second.aa');
      expect(await lookUp(node, 'busy.aa')).toEqual(['registry_busy']);
      expect(await queued).toEqual(['registry_busy']);
      first.release();
      expect(await inFlight).toEqual(['registered']);
      expect(registry.requestCount('second.aa')).toBe(0);
    });

    it('respect it if they start later, and for hosts that they have not queried yet', async () => {
      const { nodes, storeUrl } = await start();
      const [node, other] = nodes;
      expect(await lookUp(node, 'busy.aa')).toEqual(['registry_busy']);
      await untilFound(storeUrl, 'SELECT 1 FROM registry_backoffs');
      const started = await forThisTest(startFleet, sharedPostgres, 2, {
        registries: { aa: registry.baseUrl },
        env: { STORE_URL: storeUrl },
      });
      expect(await lookUp(started.nodes[0], 'a.aa')).toEqual(['registry_busy']);
      // The catalogue shows the health of a host even if it was not queried.
      const query = '{ tlds(first: 1, search: "aa") { nodes { health { retryAt } } } }';
      while ((await other.graphql(query)).data.tlds.nodes[0].health.retryAt === null);
      expect(await lookUp(other, 'a.aa')).toEqual(['registry_busy']);
      expect(registry.requests).toHaveLength(1);
    });

    it('delete expired back-offs', async () => {
      const { nodes, storeUrl } = await start();
      await sql(
        storeUrl,
        `INSERT INTO registry_backoffs VALUES ('https://past.test', epoch_ms() - 1)`,
      );
      expect(await lookUp(nodes[0], 'busy.aa')).toEqual(['registry_busy']);
      const origin = new URL(registry.baseUrl).origin;
      await untilFound(storeUrl, 'SELECT 1 FROM registry_backoffs WHERE origin = $1', [origin]);
      expect(await sql(storeUrl, 'SELECT origin FROM registry_backoffs')).toEqual([{ origin }]);
    });
  },
);

/** Returns the status of each name, or the reason if it has none. */
async function lookUp(node: Gateway, ...domains: readonly string[]): Promise<string[]> {
  const { results } = await (await node.post('/v1/status/bulk', { domains })).json();
  return results.map((row: { status: string; reason?: string }) => row.reason ?? row.status);
}

/** Settles when the node backs off from the host. */
async function untilBackedOff(node: Gateway): Promise<void> {
  await scrapeUntil(node, ({ sum }) => sum('rdap_gateway_registry_backoff_seconds') > 0);
}
