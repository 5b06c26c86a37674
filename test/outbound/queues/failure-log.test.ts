import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { notFound, status } from '../../support/bodies/replies.ts';

const minute = 60_000;

it('logs failures of a registry at once, once a minute with their number, and when it answers', async () => {
  const clock = manualClock();
  const { log, lines } = memoryLog();
  const logged = () =>
    lines.filter(({ msg }) => /registry|registries/i.test(msg)).map(withoutMessage);
  await using bad = await startFakeRegistry();
  await using good = await startFakeRegistry();
  bad.on(/./, status(400));
  good.on(/./, notFound());
  await using gateway = await startGateway({
    clock,
    log,
    registries: { bad: bad.baseUrl, good: good.baseUrl },
  });
  const lookUp = (name: string) => gateway.get(`/v1/status?domain=${name}`);
  const { host } = new URL(bad.baseUrl);
  const first = { level: 'info', host, failures: 1, code: 'registry_error' };
  const minuteLine = (failures: number) => ({ ...withoutHost(first), hosts: [host], failures });

  await lookUp('hidden-name.good');
  await lookUp('hidden-name1.bad');
  expect(logged()).toEqual([first]);
  await lookUp('hidden-name2.bad');
  await lookUp('hidden-name3.bad');
  expect(logged()).toHaveLength(1);
  clock.advance(minute);
  expect(logged()).toEqual([first, minuteLine(bad.requests.length - 1)]);
  clock.advance(2 * minute);
  expect(logged()).toHaveLength(2);
  bad.on(/./, notFound());
  await lookUp('hidden-name4.bad');
  clock.advance(minute);
  expect(logged().slice(2)).toEqual([{ level: 'info', hosts: [host] }]);
  clock.advance(2 * minute);
  expect(logged()).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toContain('hidden-name');
});

it('logs at most five lines a minute if the network is away', async () => {
  const clock = manualClock();
  const { log, lines } = memoryLog();
  const tlds = Array.from({ length: 20 }, (_, index) => `tld${index}`);
  const ports = await Promise.all(tlds.map(() => freePort()));
  const registries = Object.fromEntries(
    tlds.map((tld, index) => [tld, `http://127.0.0.1:${ports[index]}/`]),
  );
  await using gateway = await startGateway({ clock, log, registries });
  await gateway.get(`/v1/status?name=away&tlds=${tlds.join(',')}`);
  clock.advance(minute);
  const logged = lines.filter(({ msg }) => /registry|registries/i.test(msg));
  expect(logged).toHaveLength(4);
  const { hosts, others } = logged[3] ?? {};
  expect(hosts.length + others).toBeGreaterThanOrEqual(17);
});

const withoutMessage = ({ msg: _msg, time: _time, ...fields }: Json): Json => fields;
const withoutHost = ({ host: _host, ...fields }: Json): Json => fields;
