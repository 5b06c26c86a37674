import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../../support/time/manual-clock.ts';
import { registered } from '../../support/bodies/replies.ts';

const hour = 3600;
const day = 24 * hour;
const domain = 'taken.registry';

let clock: ManualClock;
let registry: FakeRegistry;
beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.fallback(({ name }) => registered(name));
});

const start = (env: Record<string, string> = {}) =>
  startGateway({ clock, registries: { registry: registry.baseUrl }, env });
const wait = (seconds: number) => clock.advance(seconds * 1000);
const verdict = async (gateway: Gateway) =>
  (await gateway.get(`/v1/status?domain=${domain}&max_age=2592000`)).results[0];
const record = (gateway: Gateway) => gateway.get(`/v1/rdap?domain=${domain}&max_age=2592000`);

describe('contacts and the raw RDAP object', () => {
  it('are stored with the verdict', async () => {
    await using gateway = await start();
    await verdict(gateway);
    expect(await record(gateway)).toMatchObject({
      cached: true,
      rdap: { objectClassName: 'domain' },
      registration: { handle: `FAKE-${domain}` },
    });
  });

  it('are fetched for each request with RECORD_DAYS=0, unlike verdicts', async () => {
    await using gateway = await start({ RECORD_DAYS: '0' });
    for (let requests = 1; requests < 3; requests += 1) {
      expect(await record(gateway)).toMatchObject({
        cached: false,
        rdap: { objectClassName: 'domain' },
      });
      expect(registry.requestCount(domain)).toBe(requests);
    }
    expect(await verdict(gateway)).toMatchObject({ status: 'registered', cached: true });
    expect(registry.requestCount(domain)).toBe(2);
  });

  it('are deleted after RECORD_DAYS, unlike the verdict', async () => {
    await using gateway = await start({ RECORD_DAYS: '2' });
    await record(gateway);
    wait(2 * day);
    expect(await record(gateway)).toMatchObject({ cached: true });
    wait(hour + 1);
    await expect.poll(() => record(gateway)).toMatchObject({ cached: false });
    wait(10 * day);
    expect(await verdict(gateway)).toMatchObject({ cached: true });
  });
});
