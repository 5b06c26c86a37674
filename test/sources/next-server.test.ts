import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { hang, reset } from '../support/hostile-replies.ts';
import { manualClock } from '../support/manual-clock.ts';
import { registered, status, type Script } from '../support/replies.ts';

let cleanup: AsyncDisposableStack;
let first: FakeRegistry;
let second: FakeRegistry;
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  first = cleanup.use(await startFakeRegistry());
  second = cleanup.use(await startFakeRegistry());
  second.fallback(({ name }) => registered(name));
});
afterEach(() => cleanup.disposeAsync());

/** A gateway that knows these base URLs for `aa`, and whose clock stands still: what it has given up stays given up. */
async function open(
  baseUrls: readonly string[],
  env: Record<string, string> = {},
): Promise<Gateway> {
  return cleanup.use(
    await startGateway({
      registries: { aa: baseUrls },
      env: { ...env, RATE_LIMIT: '0' },
      clock: manualClock(),
    }),
  );
}

/** Asks for so many names, one after the other: how often each answer came. */
async function askFor(count: number, gateway: Gateway): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  for (let asked = 0; asked < count; asked += 1) {
    const [{ status: word, reason }] = (await gateway.get(`/v1/status?domain=n${asked}.aa`))
      .results;
    answers[reason ?? word] = (answers[reason ?? word] ?? 0) + 1;
  }
  return answers;
}

describe('the next base URL of a registry', () => {
  it.each<[string, Script]>([
    ['breaks', status(500)],
    ['cuts the connection', reset()],
  ])('answers whatever the first cannot, which %s and is soon given up', async (_what, failure) => {
    first.fallback(failure);
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await askFor(20, gateway)).toEqual({ registered: 20 });
    expect([first.requests.length, second.requests.length]).toEqual([10, 20]);
  });

  it('answers where nobody is at the first', async () => {
    await first.close();
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await askFor(20, gateway)).toEqual({ registered: 20 });
  });

  it('answers once the first has been given up for its silence', async () => {
    first.fallback(hang());
    const gateway = await open([first.baseUrl, second.baseUrl], { RDAP_TIMEOUT_MS: '50' });
    expect(await askFor(12, gateway)).toEqual({ registry_timeout: 10, registered: 2 });
  });

  it('may be the third, where the first two have been given up', async () => {
    await first.close();
    const [dead, alive] = [cleanup.use(await startFakeRegistry()), second];
    await dead.close();
    const gateway = await open([first.baseUrl, dead.baseUrl, alive.baseUrl]);
    expect(await askFor(20, gateway)).toEqual({ registry_error: 10, registered: 10 });
  });

  it.each([
    ['a minute later, which is then left alone', '60', 1],
    ['at any time, which is then asked again', '0', 5 + 3],
  ])('is not asked instead of one that says "come back" %s', async (_what, retryAfter, times) => {
    first.fallback(status(429, { 'retry-after': retryAfter }));
    const gateway = await open([first.baseUrl, second.baseUrl]);
    expect(await askFor(5, gateway)).toEqual({ registry_busy: 5 });
    expect([first.requests.length, second.requests.length]).toEqual([times, 0]);
  });
});

describe('second tries at one host', () => {
  it.each([
    ['one base URL', () => [first.baseUrl]],
    ['two base URLs', () => [first.url('v1/'), first.url('v2/')]],
  ])('are three a minute where little is asked, though it has %s', async (_what, baseUrls) => {
    first.fallback(status(500));
    const gateway = await open(baseUrls());
    expect(await askFor(6, gateway)).toEqual({ registry_error: 6 });
    expect(first.requests.length).toBe(6 + 3);
  });
});
