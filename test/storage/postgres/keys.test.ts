import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startMeteredFleet, type MeteredFleet } from '../../support/gateways/metered-fleet.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { runKeys } from '../../support/gateways/command-line.ts';
import { frozenClock, type FrozenClock } from '../../support/time/frozen-clock.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

describe.skipIf(postgresMissing)(`API keys in a cluster${skipped}`, () => {
  let clock: FrozenClock;
  let fleet: MeteredFleet;
  beforeEach(async () => {
    clock = frozenClock();
    fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2, { clock });
  });

  const keys = (...args: readonly string[]) => runKeys(fleet.storeUrl, args);
  const createdKey = async (...args: readonly string[]): Promise<{ id: string; key: string }> =>
    JSON.parse((await keys(...args, '--json')).stdout);
  const statuses = (key: string) =>
    Promise.all(
      fleet.nodes.map(
        async (node) =>
          (await node.fetch('/v1/status?domain=a.example', { headers: { 'x-api-key': key } }))
            .status,
      ),
    );

  it('work at every node, also after a rotation, and are listed with their usage', async () => {
    const first = await createdKey(
      'create',
      '--name',
      'App',
      '--credits',
      '50',
      '--origin',
      'https://app.example',
    );
    expect(await statuses(first.key)).toEqual([403, 403]);
    const { id, key } = await createdKey('create', '--name', 'Second', '--credits', '50');
    expect(await statuses(key)).toEqual([200, 200]);
    const successor = await createdKey('rotate', id);
    expect(await statuses(key)).toEqual([200, 200]);
    expect(await statuses(successor.key)).toEqual([200, 200]);
    expect((await keys('list')).stdout).toMatch(new RegExp(`^${id} +Second +50 .* active$`, 'm'));
    expect((await keys('usage')).stdout).toMatch(new RegExp(`${id} +Second +6 +50$`, 'm'));
  });

  it('get changed credits and origins at every node within two seconds', async () => {
    const { id, key } = await createdKey('create', '--name', 'Third', '--credits', '1');
    expect((await statuses(key)).toSorted()).toEqual([200, 402]);
    await keys('set', id, '--credits', '3');
    expect(await statuses(key)).toEqual([200, 200]);
    await keys('set', id, '--origin', 'https://app.example');
    clock.advance(2000);
    expect(await statuses(key)).toEqual([403, 403]);
  });

  it('stop working at every node within two seconds after they are revoked', async () => {
    const { id, key } = await createdKey('create', '--name', 'Fourth');
    expect(await statuses(key)).toEqual([200, 200]);
    expect((await keys('revoke', id)).code).toBe(0);
    clock.advance(1999);
    expect(await statuses(key)).toEqual([401, 401]);
  });
});
