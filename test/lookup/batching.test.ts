import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { hang } from '../support/bodies/hostile-replies.ts';
import { registered } from '../support/bodies/replies.ts';
import { paused } from '../support/bodies/scripts.ts';
import { subscribe } from '../support/requests/subscription.ts';

const tldsOf = (registry: number) =>
  Array.from({ length: 5 }, (_, index) => `tld-${registry}-${index}`);

describe('a search under 300 TLDs of 60 registries', () => {
  let registries: readonly FakeRegistry[];
  let gateway: Gateway;
  beforeEach(async () => {
    registries = await Promise.all(Array.from({ length: 60 }, () => startFakeRegistry()));
    for (const { on } of registries) on(/^nic\./, ({ name }) => registered(name));
    const served = registries.flatMap(({ baseUrl }, index) =>
      tldsOf(index).map((tld) => [tld, baseUrl] as const),
    );
    gateway = await startGateway({ registries: Object.fromEntries(served) });
  });
  afterEach(async () => {
    await gateway[Symbol.asyncDispose]();
    await Promise.all(registries.map((registry) => registry.close()));
  });

  const all = () => registries.flatMap((_, index) => tldsOf(index));
  const search = () => `name: "example", tlds: ${JSON.stringify(all())}`;

  it('queries each registry once per name and returns rows in request order', async () => {
    const { data } = await gateway.graphql(`{ domains(${search()}) { domain available } }`);
    expect(data.domains).toEqual(
      all().map((tld) => ({ domain: `example.${tld}`, available: true })),
    );
    const queried = registries
      .flatMap(({ requests }) => requests.map(({ name }) => name))
      .filter((name) => name.startsWith('example.'));
    expect(queried.toSorted()).toEqual(
      all()
        .map((tld) => `example.${tld}`)
        .toSorted(),
    );
  });

  it('streams the rows of all other registries while one hangs', async () => {
    registries[7]?.fallback(hang());
    await using stream = await subscribe(gateway, search());
    const rows = await stream.take(295);
    expect(rows.every(({ available }) => available === true)).toBe(true);
    const tlds = new Set(rows.map(({ domain }) => domain.replace('example.', '')));
    expect(all().filter((tld) => !tlds.has(tld))).toEqual(tldsOf(7));
  });
});

describe('a registry', () => {
  let registry: FakeRegistry;
  let gateway: Gateway;
  beforeEach(async () => {
    registry = await forThisTest(startFakeRegistry);
    registry.fallback(({ name }) => registered(name));
    gateway = await forThisTest(startGateway, {
      registries: { registry: registry.baseUrl, other: registry.baseUrl },
    });
  });

  it('that is slow for one name does not delay its other names', async () => {
    const slow = paused(registered('slow.registry'));
    registry.on('slow.registry', slow);
    await using stream = await subscribe(
      gateway,
      'domains: ["slow.registry", "a.registry", "b.registry", "c.other"]',
    );
    const quick = await stream.take(3);
    expect(quick.map(({ domain }) => domain).toSorted()).toEqual([
      'a.registry',
      'b.registry',
      'c.other',
    ]);
    slow.release();
    expect(await stream.rest()).toMatchObject([{ domain: 'slow.registry', status: 'REGISTERED' }]);
  });

  it('receives one request per name and operation', async () => {
    const { data } = await gateway.graphql(`{
      one: domain(name: "example.registry") { available rdap { handle } }
      again: domain(name: "EXAMPLE", tld: "registry", maxAge: 0) { status rdap { nameservers } }
      domains(domains: ["example.registry", "Example.Registry."]) { domain available }
    }`);
    expect(data).toEqual({
      one: { available: false, rdap: { handle: 'FAKE-example.registry' } },
      again: {
        status: 'REGISTERED',
        rdap: { nameservers: ['ns1.example-dns.test', 'ns2.example-dns.test'] },
      },
      domains: [{ domain: 'example.registry', available: false }],
    });
    expect(registry.requestCount('example.registry')).toBe(1);
  });

  it('is not queried for fields that are computed locally', async () => {
    const { data } = await gateway.graphql(
      '{ domain(name: "bücher.registry") { id domain unicodeName name tld } }',
    );
    expect(data.domain).toEqual({
      id: 'xn--bcher-kva.registry',
      domain: 'xn--bcher-kva.registry',
      unicodeName: 'bücher.registry',
      name: 'xn--bcher-kva',
      tld: 'registry',
    });
    expect(registry.requests.length).toBe(0);
  });
});
