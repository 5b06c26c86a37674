import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/fake-registry.ts';
import { startFleet } from '../../support/fleet.ts';
import type { Gateway, Json } from '../../support/gateway.ts';
import { jumpingClock } from '../../support/jumping-clock.ts';
import { postgresMissing, startPostgres } from '../../support/postgres.ts';
import { notFound, registered, type Script } from '../../support/replies.ts';

const taken: Script = ({ name }) => registered(name);
const minute = 60 * 1000;

it.skipIf(postgresMissing)(
  `a registry that finds nothing any more is trusted by no node once one of them has noticed${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using postgres = await startPostgres();
    await using registry = await startFakeRegistry();
    const clock = jumpingClock();
    await using fleet = await startFleet(postgres, 2, {
      registries: { aa: registry.baseUrl },
      clock,
    });
    const [node, other] = fleet.nodes;
    registry.on('nic.aa', taken);
    expect(await ask(node, 'free.aa')).toMatchObject({ status: 'available' });
    expect(await ask(other, 'other.aa')).toMatchObject({ status: 'available' });
    expect(registry.asked('nic.aa')).toBe(1);
    registry.on(/./, notFound());
    clock.leap(5 * minute);
    expect(await ask(node, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
    expect(await ask(other, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
    // One node has checked it, the other one has read what came of that.
    expect(registry.asked('nic.aa')).toBe(2);
    // A name that is found does not overwrite what a node has found out that the other does not know of.
    registry.on('taken.aa', taken);
    expect(await ask(other, 'taken.aa')).toMatchObject({ status: 'registered' });
    registry.on('taken.aa', notFound());
    clock.leap(minute);
    expect(await ask(node, 'free.aa')).toMatchObject({
      status: 'unknown',
      reason: 'untrusted_answer',
    });
  },
);

async function ask(node: Gateway, name: string): Promise<Json> {
  return (await node.get(`/v1/status?domain=${name}&max_age=0`)).results[0];
}
