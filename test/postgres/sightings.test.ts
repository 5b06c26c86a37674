import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startFleet } from '../support/fleet.ts';
import type { Gateway, Json } from '../support/gateway.ts';
import { leapingClock } from '../support/leaping-clock.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';
import { notFound, registered, type Script } from '../support/replies.ts';

const taken: Script = ({ name }) => registered(name);
const hour = 60 * 60 * 1000;

it.skipIf(postgresMissing)(
  `a registry that finds nothing any more is believed by no node, an hour after one found out${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using postgres = await startPostgres();
    await using registry = await startFakeRegistry();
    const clock = leapingClock();
    await using fleet = await startFleet(postgres, 2, { registries: { aa: registry.baseUrl }, clock });
    const [node, other] = fleet.nodes;
    registry.on('nic.aa', taken);
    registry.on('taken.aa', taken);
    expect(await ask(node, 'free.aa')).toMatchObject({ status: 'available' });
    // It has found a name for this node, which therefore asks for no canary of its own.
    expect(await ask(other, 'taken.aa')).toMatchObject({ status: 'registered' });
    registry.on('nic.aa', notFound());
    clock.leap(hour);
    expect(await ask(node, 'free.aa')).toMatchObject({ status: 'unknown', reason: 'untrusted_answer' });
    expect(await ask(other, 'free.aa')).toMatchObject({ status: 'unknown', reason: 'untrusted_answer' });
    expect(registry.asked('nic.aa')).toBe(2);
  },
);

async function ask(node: Gateway, name: string): Promise<Json> {
  return (await node.get(`/v1/status?domain=${name}&max_age=0`)).results[0];
}
