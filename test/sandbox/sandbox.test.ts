import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';

let clock: ManualClock;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  gateway = await forThisTest(startGateway, { clock });
});

const rowOf = async (domain: string) =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0];
/** Expects the same row from both APIs. */
async function expectBoth(
  domain: string,
  row: { status: string; available: boolean | null; reason?: string },
): Promise<void> {
  expect(await rowOf(domain)).toMatchObject(row);
  const { data } = await gateway.graphql(
    `{ domain(name: "${domain}") { status available reason } }`,
  );
  expect(data.domain).toEqual({
    ...row,
    status: row.status.toUpperCase(),
    reason: row.reason ?? null,
  });
}

describe('the .test sandbox', () => {
  it('answers the example operation', async () => {
    const result = await gateway.graphql(
      '{ domain(name: "taken", tld: "test") { available rdap { nameservers } } }',
    );
    expect(result).toEqual({
      data: {
        domain: {
          available: false,
          rdap: { nameservers: ['ns1.example-dns.test', 'ns2.example-dns.test'] },
        },
      },
    });
  });

  it.each([
    ['taken', 'registered'],
    ['taken-name', 'registered'],
    ['reserved', 'reserved'],
    ['reserved1', 'reserved'],
    ['redemption', 'redemption'],
    ['pending', 'pending_delete'],
  ])('returns for %s: %s', async (label, status) => {
    for (const suffix of ['test', 'shop.test', 'app.test', 'dev.test']) {
      await expectBoth(`${label}.${suffix}`, { status, available: false });
    }
  });

  it.each(['my-idea', 'xn--bcher-kva', 'untaken', 'a'])(
    'returns %s as available',
    async (label) => {
      await expectBoth(`${label}.test`, { status: 'available', available: true });
      expect(await gateway.get(`/v1/rdap?domain=${label}.test`)).toMatchObject({
        available: true,
        registration: null,
        rdap: null,
      });
    },
  );

  it('returns UNKNOWN for down and html', async () => {
    await expectBoth('down.test', { status: 'unknown', available: null, reason: 'registry_error' });
    await expectBoth('html.test', {
      status: 'unknown',
      available: null,
      reason: 'untrusted_answer',
    });
    for (const label of ['down', 'html'])
      expect((await gateway.fetch(`/v1/rdap?domain=${label}.test`)).status).toBe(502);
  });

  it('responds to slow after 1.5 s', async () => {
    const idle = clock.pending;
    let isAnswered = false;
    const row = rowOf('slow.test').finally(() => (isAnswered = true));
    // The timers of the lookup and of the sandbox.
    await clock.whenPending(idle + 2);
    clock.advance(1499);
    for (let trip = 0; trip < 3; trip += 1) await gateway.get('/health');
    expect(isAnswered).toBe(false);
    clock.advance(1);
    expect(await row).toMatchObject({ status: 'registered', latency_ms: 1500 });
  });

  it('returns 429 once for busy, which does not delay other names', async () => {
    const idle = clock.pending;
    const row = rowOf('busy.test');
    await clock.whenPending(idle + 2);
    expect(await rowOf('taken.test')).toMatchObject({ status: 'registered', cached: false });
    clock.advance(1000);
    expect(await row).toMatchObject({ status: 'registered', latency_ms: 1000 });
  });

  it('never responds to hang: 504 at the time limit', async () => {
    await using limited = await startGateway({ env: { RDAP_TIMEOUT_MS: '200' } });
    const { results } = await limited.get('/v1/status?domain=hang.test');
    expect(results).toMatchObject([{ status: 'unknown', reason: 'registry_timeout' }]);
    expect((await limited.fetch('/v1/rdap?domain=hang.test')).status).toBe(504);
  });

  it('caches answers for ten seconds, whatever max_age is', async () => {
    expect(await rowOf('taken.test')).toMatchObject({ cached: false });
    clock.advance(10_000);
    expect(await rowOf('taken.test')).toMatchObject({ cached: true });
    clock.advance(1);
    const { results } = await gateway.get('/v1/status?domain=taken.test&max_age=2592000');
    expect(results[0]).toMatchObject({ cached: false });
  });

  it('has no rate limit: 500 names in one request', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `name-${index}.test`);
    const { data } = await gateway.graphql(
      'query ($names: [String!]) { domains(domains: $names) { available } }',
      { names },
    );
    expect(data.domains.every(({ available }: { available: boolean }) => available)).toBe(true);
  });

  it('has no circuit breaker: other names are answered after 20 failures', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => rowOf(`down-${index}.test`)));
    expect(await rowOf('taken.test')).toMatchObject({ status: 'registered' });
  });

  it('rejects names one level too deep, and suffixes', async () => {
    for (const domain of ['www.taken.test', 'a.b.shop.test', 'shop.test']) {
      expect(await rowOf(domain)).toMatchObject({ status: 'invalid', source: null });
    }
  });

  it('is unsupported with SANDBOX=off', async () => {
    await using without = await startGateway({ env: { SANDBOX: 'off' } });
    const { results } = await without.get('/v1/status?domain=taken.test');
    expect(results).toMatchObject([{ status: 'unsupported_tld', available: null }]);
  });
});
