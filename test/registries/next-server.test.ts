import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { hang, reset } from '../support/bodies/hostile-replies.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { registered, status, type Script } from '../support/bodies/replies.ts';

let first: FakeRegistry;
let second: FakeRegistry;
beforeEach(async () => {
  first = await forThisTest(startFakeRegistry);
  second = await forThisTest(startFakeRegistry);
  second.fallback(({ name }) => registered(name));
});

/**
 * Starts a gateway with these base URLs for `aa`. Its clock does not advance, so an open circuit
 * stays open.
 */
async function open(
  baseUrls: readonly string[],
  env: Record<string, string> = {},
): Promise<Gateway> {
  return forThisTest(startGateway, {
    registries: { aa: baseUrls },
    env: { ...env, RATE_LIMIT: '0' },
    clock: manualClock(),
  });
}

/** Looks up `count` names, one after the other. Returns how often each result occurred. */
async function lookUpNames(count: number, gateway: Gateway): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let index = 0; index < count; index += 1) {
    const [row] = (await gateway.get(`/v1/status?domain=n${index}.aa`)).results;
    const result = row.reason ?? row.status;
    counts[result] = (counts[result] ?? 0) + 1;
  }
  return counts;
}

describe('the next base URL of a registry', () => {
  it.each<[string, Script]>([
    ['returns 500', status(500)],
    ['resets the connection', reset()],
  ])('answers every name if the first one %s and is soon blocked', async (_case, failure) => {
    first.fallback(failure);
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await lookUpNames(20, gateway)).toEqual({ registered: 20 });
    expect([first.requests.length, second.requests.length]).toEqual([10, 20]);
  });

  it('answers every name if the first one refuses connections', async () => {
    await first.close();
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await lookUpNames(20, gateway)).toEqual({ registered: 20 });
  });

  it('is queried once timeouts have opened the circuit of the first one', async () => {
    first.fallback(hang());
    const gateway = await open([first.baseUrl, second.baseUrl], { RDAP_TIMEOUT_MS: '50' });
    expect(await lookUpNames(12, gateway)).toEqual({ registry_timeout: 10, registered: 2 });
  });

  it('may be the third one, once the circuits of the first two have opened', async () => {
    const [dead, alive] = [await forThisTest(startFakeRegistry), second];
    for (const server of [first, dead]) server.fallback(reset());
    const gateway = await open([first.baseUrl, dead.baseUrl, alive.baseUrl]);
    expect(await lookUpNames(20, gateway)).toEqual({ registry_error: 10, registered: 10 });
  });

  it.each([
    ['Retry-After: 60, after which the first is not queried', '60', 1],
    ['Retry-After: 0, after which the first is retried', '0', 5 + 3],
  ])('is not queried if the first one returns %s', async (_case, retryAfter, times) => {
    first.fallback(status(429, { 'retry-after': retryAfter }));
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await lookUpNames(5, gateway)).toEqual({ registry_busy: 5 });
    expect([first.requests.length, second.requests.length]).toEqual([times, 0]);
  });
});

it.each([
  ['one base URL', () => [first.baseUrl]],
  ['two base URLs', () => [first.url('v1/'), first.url('v2/')]],
])(
  'retries at one host are limited to three per minute at low load, with %s',
  async (_case, baseUrls) => {
    first.fallback(status(500));
    const gateway = await open(baseUrls());
    expect(await lookUpNames(6, gateway)).toEqual({ registry_error: 6 });
    expect(first.requests.length).toBe(6 + 3);
  },
);
