import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';

let clock: ManualClock;
let gateway: Gateway;
beforeEach(async () => {
  clock = manualClock();
  gateway = await startGateway({ clock });
});
afterEach(() => gateway[Symbol.asyncDispose]());

const rowOf = async (domain: string) =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0];
/** The same through both doors. */
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

describe('under .test', () => {
  it('the operation of the contract works as it is written', async () => {
    expect(
      await gateway.graphql(
        '{ domain(name: "taken", tld: "test") { available rdap { nameservers } } }',
      ),
    ).toEqual({
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
    ['taken-by-somebody', 'registered'],
    ['reserved', 'reserved'],
    ['reserved1', 'reserved'],
    ['redemption', 'redemption'],
    ['pending', 'pending_delete'],
  ])('%s is %s', async (label, status) => {
    for (const suffix of ['test', 'shop.test', 'app.test', 'dev.test']) {
      await expectBoth(`${label}.${suffix}`, { status, available: false });
    }
  });

  it.each(['my-idea', 'xn--bcher-kva', 'untaken', 'a'])('%s is free', async (label) => {
    await expectBoth(`${label}.test`, { status: 'available', available: true });
    expect(await gateway.get(`/v1/rdap?domain=${label}.test`)).toMatchObject({
      available: true,
      registration: null,
      rdap: null,
    });
  });

  it('down fails, and html proves nothing', async () => {
    await expectBoth('down.test', { status: 'unknown', available: null, reason: 'registry_error' });
    await expectBoth('html.test', {
      status: 'unknown',
      available: null,
      reason: 'untrusted_answer',
    });
    for (const label of ['down', 'html'])
      expect((await gateway.fetch(`/v1/rdap?domain=${label}.test`)).status).toBe(502);
  });

  it('slow takes a second and a half', async () => {
    const idle = clock.pending;
    const row = rowOf('slow.test');
    // The one who waits, and the registry’s own timer.
    await clock.whenPending(idle + 2);
    clock.advance(1500);
    expect(await row).toMatchObject({ status: 'registered', latency_ms: 1500 });
  });

  it('busy sends everybody away for a second, once, and holds up no other name', async () => {
    const idle = clock.pending;
    const row = rowOf('busy.test');
    await clock.whenPending(idle + 2);
    expect(await rowOf('taken.test')).toMatchObject({ status: 'registered', cached: false });
    clock.advance(1000);
    expect(await row).toMatchObject({ status: 'registered', latency_ms: 1000 });
  });

  it('hang never answers: 504 at the time limit', async () => {
    await using hurried = await startGateway({ env: { RDAP_TIMEOUT_MS: '200' } });
    expect((await hurried.get('/v1/status?domain=hang.test')).results).toMatchObject([
      { status: 'unknown', reason: 'registry_timeout' },
    ]);
    expect((await hurried.fetch('/v1/rdap?domain=hang.test')).status).toBe(504);
  });

  it('answers are stored for ten seconds, whatever the caller allows', async () => {
    expect(await rowOf('taken.test')).toMatchObject({ cached: false });
    clock.advance(10_000);
    expect(await rowOf('taken.test')).toMatchObject({ cached: true });
    clock.advance(1);
    expect(
      (await gateway.get('/v1/status?domain=taken.test&max_age=2592000')).results[0],
    ).toMatchObject({ cached: false });
  });

  it('no rate holds anybody up: 500 names at once', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `name-${index}.test`);
    const { data } = await gateway.graphql(
      'query ($names: [String!]) { domains(domains: $names) { available } }',
      { names },
    );
    expect(data.domains.every(({ available }: { available: boolean }) => available)).toBe(true);
  });

  it('failures close nothing: after twenty of them others are answered', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => rowOf(`down-${index}.test`)));
    expect(await rowOf('taken.test')).toMatchObject({ status: 'registered' });
  });

  it('names one level too deep, and suffixes, are invalid', async () => {
    for (const domain of ['www.taken.test', 'a.b.shop.test', 'shop.test']) {
      expect(await rowOf(domain)).toMatchObject({ status: 'invalid', source: null });
    }
  });

  it('nobody answers where the sandbox is off', async () => {
    await using without = await startGateway({ env: { SANDBOX: 'off' } });
    expect((await without.get('/v1/status?domain=taken.test')).results).toMatchObject([
      { status: 'unsupported_tld', available: null },
    ]);
  });
});
