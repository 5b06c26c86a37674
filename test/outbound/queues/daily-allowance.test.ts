import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canaryAccount } from '../../../src/domain/source.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { DailyAllowance } from '../../../src/outbound/queues/daily-allowance.ts';
import { createDailyUsage } from '../../support/stores/daily-usage.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { openQueue, settled } from '../../support/stores/open-queue.ts';
import { registered } from '../../support/bodies/replies.ts';
import { scrape } from '../../support/checks/scrape.ts';
import { scratch } from '../../support/stores/scratch.ts';

const hour = 60 * 60_000;
const origin = 'https://rdap.test';

/** Sends as many requests as the account may send now. Returns their number. */
function sendAll(allowance: DailyAllowance, account: string): number {
  let sent = 0;
  while (allowance.allowedAt(account) === undefined) {
    allowance.record(account);
    sent += 1;
  }
  return sent;
}

/** Returns `count` names of an account. */
const namesOf = (account: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${account}${index}.example`);

const reasonsIn = ({ results }: Json) => results.map(({ reason }: Json) => reason ?? 'answered');

const countIn = (reasons: readonly string[], reason: string) =>
  reasons.filter((each) => each === reason).length;

/** Looks up 15 names from an address. Returns how many were answered. */
async function countAnswered(gateway: Gateway, address: string, label: string): Promise<number> {
  const path = `/v1/status?domain=${namesOf(label, 15).join()}`;
  const response = await gateway.fetch(path, { headers: { 'x-forwarded-for': address } });
  return countIn(reasonsIn(await response.json()), 'answered');
}

describe('the daily allowance of a host', () => {
  it('gives an account as many requests as it leaves, then a tenth of the day, and keeps the last tenth for new accounts', () => {
    const allowance = new DailyAllowance(500, manualClock());
    const accounts = ['a', 'b', 'c', 'd', 'e'];
    expect(accounts.map((account) => sendAll(allowance, account))).toEqual([250, 125, 63, 12, 1]);
    const later = Array.from({ length: 60 }, (_, index) => sendAll(allowance, `later ${index}`));
    expect(later).toEqual(later.map((_, index) => (index < 49 ? 1 : 0)));
    expect(allowance.usedShare).toBe(1);
  });

  it('gives an account at least a tenth while the reserve is not reached', () => {
    const allowance = new DailyAllowance(100, manualClock());
    for (let index = 0; index < 80; index += 1) allowance.record(`other ${index}`);
    expect(sendAll(allowance, 'alice')).toBe(10);
  });

  it('is exact over any 24 hours, and says when an account may send again', () => {
    const clock = manualClock();
    const allowance = new DailyAllowance(20, clock);
    expect(sendAll(allowance, 'alice')).toBe(10);
    clock.advance(12 * hour);
    expect(allowance.allowedAt('alice')).toBe(clock.now() + 12 * hour);
    expect(sendAll(allowance, 'bob')).toBe(5);
    clock.advance(12 * hour - 1);
    expect(sendAll(allowance, 'alice')).toBe(0);
    clock.advance(1);
    expect(allowance.usedShare).toBe(0.25);
    expect(sendAll(allowance, 'alice')).toBe(8);
  });

  it('counts again after the clock was set back by days', () => {
    let now = Date.UTC(2030, 0, 1);
    const allowance = new DailyAllowance(10, { ...manualClock(), now: () => now });
    expect(sendAll(allowance, 'alice')).toBe(5);
    now = Date.UTC(2026, 0, 1);
    expect(sendAll(allowance, 'alice')).toBe(5);
  });

  it.each([1, 2, 3, 5])('lets a single account send if it is only %i', (perDay) => {
    expect(sendAll(new DailyAllowance(perDay, manualClock()), 'alice')).toBe(Math.ceil(perDay / 2));
  });
});

describe('a host queue with a daily allowance', () => {
  it('rejects new and queued requests of an account that has used its share, and sends those of others', async () => {
    const queue = openQueue({ rate: 1, burst: 1, perDay: 4 });
    queue.addAll('a b c d', { account: 'alice' });
    await settled();
    queue.clock.advance(1000);
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
    expect(queue.rejected).toEqual(['c: registry_busy, 86400 s', 'd: registry_busy, 86400 s']);
    void queue.add('e', { account: 'alice' });
    void queue.add('f', { account: 'bob' });
    queue.clock.advance(1000);
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'f']);
    expect(queue.rejected).toHaveLength(3);
  });

  it('counts the checks of the gateway as those of one more account', async () => {
    const queue = openQueue({ perDay: 4 });
    queue.addAll('a b c', { account: canaryAccount });
    void queue.add('d', { account: 'alice' });
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'd']);
  });
});

describe('the stored daily use', () => {
  it('is counted after a restart, and written a few seconds after a request', async () => {
    const [store, clock] = [new MemoryAnswers(), manualClock()];
    const first = createDailyUsage(clock, store);
    await first.start();
    const allowance = first.allowanceOf(origin, 20);
    allowance.record('alice');
    expect((await store.read('')).size).toBe(0);
    clock.advance(5000);
    expect((await store.read('')).size).toBe(1);
    sendAll(allowance, 'alice');
    await first.stop();
    for (const [account, sent] of [
      ['alice', 0],
      ['bob', 5],
      ['carol', 3],
    ] as const) {
      const next = createDailyUsage(clock, store);
      await next.start();
      expect(sendAll(next.allowanceOf(origin, 20), account)).toBe(sent);
      await next.stop();
    }
    expect(JSON.stringify([...(await store.read(''))])).not.toContain('alice');
  });

  it('is deleted at the first start after a day', async () => {
    const [store, clock] = [new MemoryAnswers(), manualClock()];
    const first = createDailyUsage(clock, store);
    first.allowanceOf(origin, 20).record('alice');
    await first.stop();
    clock.advance(24 * hour);
    await createDailyUsage(clock, store).start();
    expect((await store.read('')).size).toBe(0);
  });

  it('is divided among the nodes that share a store, so that restarted nodes send no more together', async () => {
    const [store, clock] = [new MemoryAnswers(), manualClock()];
    const run = async (accounts: readonly string[]) => {
      const nodes = [0, 1].map(() => createDailyUsage(clock, store, 2));
      await Promise.all(nodes.map((node) => node.start()));
      const allowances = nodes.map((node) => node.allowanceOf(origin, 50));
      const sent = allowances.flatMap((each) => accounts.map((account) => sendAll(each, account)));
      await Promise.all(nodes.map((node) => node.stop()));
      return sent.reduce((sum, count) => sum + count, 0);
    };
    const accounts = Array.from({ length: 9 }, (_, index) => String(index));
    const before = await run(accounts);
    const after = await run(Array.from({ length: 90 }, (_, index) => `later ${index}`));
    expect(before).toBeGreaterThan(90);
    expect(before + after).toBe(100);
  });
});

describe('a gateway whose registry has a daily allowance', () => {
  it('leaves requests to other accounts, and says how long to wait without a charge', async () => {
    await using metered = await startMeteredGateway({ perDay: 40 });
    metered.registry.fallback(({ name }) => registered(name));
    const [alice, bob] = [await metered.newCustomer(), await metered.newCustomer()];
    const ofAlice = await alice.fetch(`/v1/status?domain=${namesOf('a', 50).join()}`);
    const reasons = reasonsIn(await ofAlice.json());
    expect([countIn(reasons, 'answered'), countIn(reasons, 'registry_busy')]).toEqual([20, 30]);
    // The price of 20 names, of 50 that were reserved.
    expect(costIn(ofAlice)).toMatchObject({ charged: 11, refunded: 15 });
    const rejected = await alice.fetch('/v1/rdap?domain=other.example');
    expect([rejected.status, costIn(rejected).charged]).toEqual([503, 0]);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
    expect(await rejected.json()).toMatchObject({
      code: 'registry_busy',
      detail: expect.stringContaining('allows per day'),
    });
    const ofBob = await (await bob.fetch(`/v1/status?domain=${namesOf('b', 12).join()}`)).json();
    expect(countIn(reasonsIn(ofBob), 'answered')).toBe(10);
    expect(metered.registry.requests).toHaveLength(30);
    const { host } = new URL(metered.registry.baseUrl);
    const { sum } = await scrape(metered.gateway);
    expect(sum('rdap_gateway_registry_daily_allowance_used_ratio', { host })).toBe(0.75);
  });

  it('counts addresses without a key separately, also after a restart', async () => {
    await using cleanup = new AsyncDisposableStack();
    const registry = cleanup.use(await startFakeRegistry());
    registry.fallback(({ name }) => registered(name));
    const files = cleanup.use(await scratch());
    const bootstrap = cleanup.use(await writeBootstrap(bootstrapOf({ example: registry.baseUrl })));
    const RDAP_LIMITS = join(files.path, 'limits.json');
    const limits = { [new URL(registry.baseUrl).host]: { rate: 0, perDay: 20 } };
    await writeFile(RDAP_LIMITS, JSON.stringify(limits));
    const env = {
      STORE_URL: files.storeUrl,
      RDAP_BOOTSTRAP_URL: bootstrap.url,
      RDAP_LIMITS,
      AUTH: 'open',
      TRUSTED_PROXIES: '127.0.0.1,::1',
    };
    {
      await using gateway = await startGateway({ env });
      expect(await countAnswered(gateway, '192.0.2.1', 'a')).toBe(10);
      expect(await countAnswered(gateway, '192.0.2.2', 'b')).toBe(5);
    }
    await using gateway = await startGateway({ env });
    expect(await countAnswered(gateway, '192.0.2.1', 'c')).toBe(0);
    expect(await countAnswered(gateway, '192.0.2.3', 'd')).toBe(3);
    expect(registry.requests).toHaveLength(18);
  });
});
