import { describe, expect, it } from 'vitest';
import type { DnsExchange } from '../../../src/registries/dns/transport.ts';
import { startFakeDnsServer, type FakeDnsAnswer } from '../../support/servers/fake-dns-server.ts';
import { dnsSource, exchangeWith, fakeResolver, resultOf } from './fixtures.ts';

const confirmed = { confirmAbsence: true };

/** The addresses of the name servers of `aa`, by name. */
type Hosts = Readonly<Record<string, readonly string[]>>;
const twoServers: Hosts = { 'ns1.aa': ['193.0.0.1'], 'ns2.aa': ['193.0.0.2'] };

/** Starts servers at 193.0.0.1, 193.0.0.2 …, each of which has one answer for `name.aa`. */
async function startZone(answers: readonly FakeDnsAnswer[], hosts: Hosts = twoServers) {
  await using starting = new AsyncDisposableStack();
  const servers = await Promise.all(
    answers.map((answer) =>
      startFakeDnsServer((name) => (name === 'name.aa' ? answer : 'nxdomain')),
    ),
  );
  for (const server of servers) starting.use(server);
  const { resolver } = fakeResolver({ ns: { aa: Object.keys(hosts) }, addresses: hosts });
  const byAddress = servers.map((server, index) => [`193.0.0.${index + 1}`, server] as const);
  const { exchange } = exchangeWith(Object.fromEntries(byAddress));
  const stack = starting.move();
  return {
    /** Looks up `name.aa` with a new source, which has not queried any server before. */
    async resultOf(request: { readonly confirmAbsence?: boolean } = confirmed) {
      const { lookUp } = dnsSource([], { resolver, exchange, serversOf: () => undefined });
      return resultOf(await lookUp('name.aa', request));
    },
    queryCounts: () => servers.map((server) => server.queryCount('name.aa')),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('the absence of a name that is used as evidence', () => {
  it('is reported by two name servers, each of which is queried once', async () => {
    await using zone = await startZone(['nxdomain', 'nxdomain']);
    expect(await zone.resultOf()).toBe('absent');
    expect(zone.queryCounts()).toEqual([1, 1]);
  });

  it('is refuted by one server that delegates the name, whichever is queried first', async () => {
    await using zone = await startZone(['nxdomain', 'delegated']);
    // The order of the servers is random.
    for (let i = 0; i < 20; i += 1) expect(await zone.resultOf()).toBe('REGISTERED');
  });

  it('is refuted by one server that has records of the name', async () => {
    await using zone = await startZone(['nxdomain', 'nodata']);
    for (let i = 0; i < 20; i += 1) expect(await zone.resultOf()).toBe('has_records');
  });

  it.each<FakeDnsAnswer>(['refused', 'servfail'])(
    'is not usable if the only other server fails (%s)',
    async (failure) => {
      await using zone = await startZone(['nxdomain', failure]);
      expect(await zone.resultOf()).toBe('registry_error');
    },
  );

  it('is not usable if the only other server does not answer within 1.5 seconds', async () => {
    await using server = await startFakeDnsServer();
    const { exchange: onNetwork } = exchangeWith({ '193.0.0.1': server });
    const timeoutsMs: number[] = [];
    const exchange: DnsExchange = async (transport, { address, ...target }, query, limits) => {
      if (address === '193.0.0.1')
        return onNetwork(transport, { address, ...target }, query, limits);
      timeoutsMs.push(limits.timeoutMs);
      return { failure: 'timeout' };
    };
    const { resolver } = fakeResolver({
      ns: { aa: ['ns1.aa', 'ns2.aa'] },
      addresses: { ...twoServers },
    });
    const { lookUp } = dnsSource([], { resolver, exchange, serversOf: () => undefined });
    await lookUp('other.aa'); // From now on, the server that answers is queried first.
    timeoutsMs.length = 0;
    expect(resultOf(await lookUp('name.aa', confirmed))).toBe('registry_error');
    expect(timeoutsMs.length).toBeGreaterThan(0);
    expect(Math.max(...timeoutsMs)).toBeLessThanOrEqual(1500);
  });

  it('is reported by the servers that answer if others fail', async () => {
    await using zone = await startZone(['nxdomain', 'refused', 'nxdomain'], {
      ...twoServers,
      'ns3.aa': ['193.0.0.3'],
    });
    for (let i = 0; i < 10; i += 1) expect(await zone.resultOf()).toBe('absent');
  });

  it.each<[string, Hosts]>([
    ['has only one name server', { 'ns1.aa': ['193.0.0.1'] }],
    ['has one name server with two addresses', { 'ns1.aa': ['193.0.0.1', '193.0.0.2'] }],
    [
      'has two name servers with the same address',
      { 'ns1.aa': ['193.0.0.1'], 'ns2.aa': ['193.0.0.1'] },
    ],
  ])('is not usable if the zone %s', async (_what, hosts) => {
    await using zone = await startZone(['nxdomain', 'nxdomain'], hosts);
    expect(await zone.resultOf()).toBe('registry_error');
  });

  it('is reported by two addresses of servers that the operator names', async () => {
    await using first = await startFakeDnsServer();
    await using second = await startFakeDnsServer();
    expect(resultOf(await dnsSource([first, second]).lookUp('name.aa', confirmed))).toBe('absent');
    expect(resultOf(await dnsSource([first, first]).lookUp('name.aa', confirmed))).toBe(
      'registry_error',
    );
  });
});

it('a delegated name is looked up at one server', async () => {
  await using zone = await startZone(['delegated', 'delegated']);
  expect(await zone.resultOf()).toBe('REGISTERED');
  expect(zone.queryCounts().toSorted()).toEqual([0, 1]);
});

it.each<[FakeDnsAnswer, string]>([
  ['nxdomain', 'absent'],
  ['delegated', 'REGISTERED'],
  ['child', 'has_records'],
  ['refused', 'absent'],
])('an absence that is not evidence is looked up at another server (%s)', async (other, result) => {
  await using zone = await startZone(['nxdomain', other]);
  for (let i = 0; i < 10; i += 1) expect(await zone.resultOf({})).toBe(result);
});

it.each<[FakeDnsAnswer, string]>([
  ['child', 'has_records'],
  ['delegated', 'REGISTERED'],
  ['nodata', 'has_records'],
  ['refused', 'has_records'],
])('a zone that a server has is no delegation: another server has %s', async (other, result) => {
  await using zone = await startZone(['child', other]);
  for (let i = 0; i < 10; i += 1) expect(await zone.resultOf()).toBe(result);
});
