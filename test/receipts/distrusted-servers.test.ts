import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { jumpingClock } from '../support/time/jumping-clock.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const minute = 60_000;
const names = Array.from({ length: 5 }, (_, index) => `taken${index}.aa`);

it('has no AVAILABLE of a registry that the gateway does not trust, until it has recovered', async () => {
  await using folder = await scratch();
  await using registry = await startFakeRegistry();
  registry.on('nic.aa', notFound());
  registry.on(/^taken/, ({ name }) => registered(name));
  const clock = jumpingClock();
  await using gateway = await startGateway({
    registries: { aa: registry.baseUrl },
    clock,
    env: { RDAP_RATE: '0', STORE_URL: folder.storeUrl },
  });
  const statusOf = async (name: string) =>
    (await gateway.get(`/v1/status?domain=${name}&max_age=0`)).results[0].status;
  const receiptOf = async (domain: string) =>
    (await (await gateway.post('/v1/receipts', { domain })).json()).verdict;
  for (const name of names) expect(await statusOf(name)).toBe('registered');
  expect(await receiptOf('free.aa')).toBe('available');

  // The registry loses all of its names but the one that it found last.
  registry.on(/^taken[0-3]/, notFound());
  const statuses = new Set<string>();
  for (const label of ['one', 'two', 'three']) {
    clock.advance(6 * minute);
    statuses.add(await statusOf(`${label}.aa`));
  }
  expect(statuses).toContain('unknown');
  expect(await receiptOf('free.aa')).toBe('unknown');

  registry.on(/^taken/, ({ name }) => registered(name));
  clock.advance(minute);
  await expect.poll(() => receiptOf('free.aa')).toBe('available');
});

it('has no AVAILABLE of a server that finds names of other TLDs, but none of this one', async () => {
  await using folder = await scratch();
  await using registry = await startFakeRegistry();
  registry.on(/bb$/, notFound());
  await using gateway = await startGateway({
    registries: { aa: registry.baseUrl, bb: registry.baseUrl },
    env: { RDAP_RATE: '0', STORE_URL: folder.storeUrl },
  });
  const { results } = await gateway.get('/v1/status?domain=nic.aa');
  expect(results[0].status).toBe('registered');
  const response = await gateway.post('/v1/receipts', { domain: 'free.bb' });
  expect(await response.json()).toMatchObject({ verdict: 'unknown', rule: 'untrusted_answer' });
});
