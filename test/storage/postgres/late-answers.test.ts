import { describe, expect, it } from 'vitest';
import { notFound, registered } from '../../support/bodies/replies.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFlakyProxy } from '../../support/servers/flaky-proxy.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { untilFound } from '../../support/stores/sql.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';

const [free, sold] = [notFound(), registered('name.aa')];

describe.skipIf(postgresMissing)('a node that was cut off from the database', () => {
  it.each([
    ['was sold', free, sold],
    ['was deleted', sold, free],
  ])('replaces no later answer of another node: a name %s', async (_what, before, since) => {
    await using registry = await startFakeRegistry();
    registry.on('nic.aa', registered('nic.aa'));
    registry.on('name.aa', before);
    const storeUrl = await sharedPostgres.database();
    await using proxy = await startFlakyProxy(storeUrl);
    const clock = jumpingClock();
    const start = (url: string) =>
      startGateway({ registries: { aa: registry.baseUrl }, clock, env: { STORE_URL: url } });
    await using node = await start(proxy.url);
    await using other = await start(storeUrl);

    proxy.holdRequests();
    expect((await lookUp(node, 'name.aa')).available).toBe(before === free);
    clock.advance(90_000);
    registry.on('name.aa', since);
    expect((await lookUp(other, 'name.aa')).available).toBe(since === free);
    await untilFound(storeUrl, 'SELECT 1 FROM answers WHERE name = $1', ['name.aa']);

    proxy.restore();
    await lookUp(node, 'last.aa');
    await untilFound(storeUrl, 'SELECT 1 FROM answers WHERE name = $1', ['last.aa']);
    for (const each of [other, node])
      expect(await lookUp(each, 'name.aa')).toMatchObject({
        available: since === free,
        cached: true,
      });
  });
});

async function lookUp(node: Gateway, name: string) {
  return (await node.get(`/v1/status?domain=${name}`)).results[0];
}
