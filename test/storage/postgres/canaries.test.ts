import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFleet } from '../../support/gateways/fleet.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { notFound, registered, type Script } from '../../support/bodies/replies.ts';

const taken: Script = ({ name }) => registered(name);
const minute = 60 * 1000;

it.skipIf(postgresMissing)(
  `distrusts a registry on every node once one node finds that its canary is missing${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using registry = await startFakeRegistry();
    const clock = jumpingClock();
    await using fleet = await startFleet(sharedPostgres, 2, {
      registries: { aa: registry.baseUrl },
      clock,
    });
    const [node, other] = fleet.nodes;
    registry.on('nic.aa', taken);
    expect(await lookUp(node, 'free.aa')).toMatchObject({ status: 'available' });
    expect(await lookUp(other, 'other.aa')).toMatchObject({ status: 'available' });
    expect(registry.requestCount('nic.aa')).toBe(1);
    registry.on(/./, notFound());
    clock.advance(5 * minute);
    expect(await lookUp(node, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
    expect(await lookUp(other, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
    // One node has checked the canary, and the other has read the result.
    expect(registry.requestCount('nic.aa')).toBe(2);
    // A name that is found does not overwrite the state that another node has stored.
    registry.on('taken.aa', taken);
    expect(await lookUp(other, 'taken.aa')).toMatchObject({ status: 'registered' });
    registry.on('taken.aa', notFound());
    clock.advance(minute);
    expect(await lookUp(node, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
  },
);

it.skipIf(postgresMissing)(
  `keeps the failure that one node has found when another one finds a name${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using registry = await startFakeRegistry();
    const clock = jumpingClock();
    const options = { registries: { aa: registry.baseUrl }, clock };
    await using fleet = await startFleet(sharedPostgres, 2, options);
    const [node, other] = fleet.nodes;
    registry.on('nic.aa', taken);
    for (const each of [node, other])
      expect(await lookUp(each, 'free.aa')).toMatchObject({ status: 'available' });
    registry.on('nic.aa', notFound());
    clock.advance(5 * minute);
    expect(await lookUp(node, 'free.aa')).toMatchObject({ reason: 'untrusted_answer' });
    registry.on('found.aa', taken);
    expect(await lookUp(other, 'found.aa')).toMatchObject({ status: 'registered' });
    const env = { STORE_URL: fleet.storeUrl, RATE_LIMIT: '0', RDAP_RATE: '0' };
    await using started = await startGateway({ ...options, env });
    expect(await lookUp(started, 'free.aa')).toMatchObject({ reason: 'untrusted_answer' });
  },
);

async function lookUp(node: Gateway, name: string): Promise<Json> {
  return (await node.get(`/v1/status?domain=${name}&max_age=0`)).results[0];
}
