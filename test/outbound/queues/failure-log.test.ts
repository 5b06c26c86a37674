import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/fake-registry.ts';
import { startGateway } from '../../support/gateway.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { notFound, status } from '../../support/replies.ts';

const minute = 60_000;

it('logs failures of a registry at once, and then once a minute with their number', async () => {
  const clock = manualClock();
  const { log, lines } = memoryLog();
  const failures = () =>
    lines
      .filter(({ msg }) => msg === 'Requests to a registry failed.')
      .map(({ level, host, failures: count, code }) => ({ level, host, count, code }));
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
  const first = { level: 'info', host, count: 1, code: 'registry_error' };

  await lookUp('hidden-name.good');
  await lookUp('hidden-name1.bad');
  expect(failures()).toEqual([first]);
  await lookUp('hidden-name2.bad');
  await lookUp('hidden-name3.bad');
  expect(failures()).toHaveLength(1);
  clock.advance(minute);
  expect(failures()).toEqual([first, { ...first, count: bad.requests.length - 1 }]);
  clock.advance(2 * minute);
  expect(failures()).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('hidden-name');
});
