import { expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { registered, status } from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { sequence } from '../../support/bodies/scripts.ts';

const hourMs = 60 * 60 * 1000;

/** Returns the real clock, `aheadMs` milliseconds ahead until `correct` is called. */
function fastClock(aheadMs: number): Clock & { correct(): void } {
  let ahead = aheadMs;
  return { ...systemClock, now: () => systemClock.now() + ahead, correct: () => void (ahead = 0) };
}

/** Returns a clock that a test sets by minutes. */
function adjustableClock() {
  const clock = jumpingClock();
  const minuteMs = hourMs / 60;
  let behind = 0;
  return {
    ...clock,
    now: () => clock.now() - behind,
    advance: (minutes: number) => clock.advance(minutes * minuteMs),
    setBack: (minutes: number) => void (behind += minutes * minuteMs),
  };
}

/** Returns whether a name is available by an answer of at most an hour. */
async function isAvailable(gateway: Gateway, name: string): Promise<boolean | null> {
  return (await gateway.get(`/v1/status?domain=${name}&max_age=3600`)).results[0].available;
}

it('an AVAILABLE answer stored while the clock was ahead is not returned, and is replaced by later answers', async () => {
  await using registry = await startFakeRegistry();
  registry.on('nic.example', registered('nic.example'));
  const clock = fastClock(hourMs / 2);
  await using gateway = await startGateway({ registries: { example: registry.baseUrl }, clock });
  const verdict = async () =>
    (await gateway.get('/v1/status?domain=sold.example&max_age=3600')).results[0].status;
  expect(await verdict()).toBe('available');
  clock.correct();
  registry.on('sold.example', registered('sold.example'));
  expect(await verdict()).toBe('registered');
  expect(await verdict()).toBe('registered');
  expect(registry.requestCount('sold.example')).toBe(2);
});

it.each([
  ['stored answer is 50 minutes old', 50, 50],
  ['stored answer would be from the future', 0, 90],
])(
  'an AVAILABLE is not returned after an hour if the clock is set back when the %s',
  async (_when, age, back) => {
    await using registry = await startFakeRegistry();
    registry.on('nic.example', registered('nic.example'));
    const clock = adjustableClock();
    await using gateway = await startGateway({ registries: { example: registry.baseUrl }, clock });
    const row = async (name: string) =>
      (await gateway.get(`/v1/status?domain=${name}&max_age=3600`)).results[0];
    expect(await row('sold.example')).toMatchObject({ available: true, cached: false });
    registry.on('sold.example', registered('sold.example'));
    clock.advance(age);
    clock.setBack(back);
    expect(await row('new.example')).toMatchObject({ available: true, cached: false });
    clock.advance(back);
    expect(await row('sold.example')).toMatchObject({ available: false, cached: false });
    expect(await row('new.example')).toMatchObject({ available: true, cached: back < 60 });
  },
);

it('no AVAILABLE stored before the clock was set back and the gateway restarted is returned', async () => {
  await using folder = await scratch();
  await using registry = await startFakeRegistry();
  registry.on('nic.example', registered('nic.example'));
  const clock = adjustableClock();
  const start = () =>
    startGateway({
      registries: { example: registry.baseUrl },
      clock,
      env: { STORE_URL: folder.storeUrl },
    });
  {
    await using gateway = await start();
    expect(await isAvailable(gateway, 'sold.example')).toBe(true);
    clock.advance(100);
    expect(await isAvailable(gateway, 'future.example')).toBe(true);
  }
  clock.setBack(90);
  registry.fallback(({ name }) => registered(name));
  await using gateway = await start();
  expect(await isAvailable(gateway, 'sold.example')).toBe(false);
  clock.advance(100);
  expect(await isAvailable(gateway, 'future.example')).toBe(false);
});

it('a back-off stored while the clock was an hour ahead does not last an hour', async () => {
  await using registry = await startFakeRegistry();
  registry.on(
    'busy.example',
    sequence([status(429, { 'retry-after': '100' }), registered('busy.example')]),
  );
  registry.on('other.example', registered('other.example'));
  const clock = fastClock(hourMs);
  await using gateway = await startGateway({ registries: { example: registry.baseUrl }, clock });
  const { results } = await gateway.get('/v1/status?domain=busy.example');
  expect(results[0].reason).toBe('registry_busy');
  clock.correct();
  expect((await gateway.get('/v1/status?domain=other.example')).results[0].status).toBe(
    'registered',
  );
});
