import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import type { DnsAnswerOf } from '../support/servers/fake-dns-server.ts';
import { startFakeZone } from '../support/servers/fake-zone.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  rdapJson,
  registered,
  status,
  type Script,
} from '../support/bodies/replies.ts';

// RDAP servers that IANA does not list, such as rdap.nic.io, returned 404 for registered names.

const minute = 60_000;
/** Registered names: the zone delegates all but the last, which has no name servers. */
const registeredNames = ['google.io', 'github.io', 'inactive.io'];
const zone: DnsAnswerOf = (name) =>
  /^(?:google|github|taken|secured)\./.test(name) ? 'delegated' : 'nxdomain';

let clock: JumpingClock;
let registry: FakeRegistry;
let dnsAnswer: DnsAnswerOf;
let gateway: Gateway;
beforeEach(async () => {
  clock = jumpingClock();
  registry = await forThisTest(startFakeRegistry);
  dnsAnswer = zone;
  const dns = await forThisTest(startFakeZone, (...query) => dnsAnswer(...query));
  const rdap = [registry.baseUrl];
  const file = await forThisTest(writeBootstrap, {
    suffixes: { '': { dns: dns.servers }, io: { rdap }, sh: { rdap } },
  });
  const env = { SOURCES_FILE: file.path, RDAP_RATE: '0' };
  gateway = await forThisTest(startGateway, { clock, env });
});

/** Looks up names in all ways, without the cache unless `maxAge` is set. */
async function lookUp(names: readonly string[], maxAge = 0): Promise<readonly Json[]> {
  const { results } = await gateway.get(`/v1/status?domain=${names.join(',')}&max_age=${maxAge}`);
  const { data } = await gateway.graphql(
    `query ($names: [String!], $maxAge: Int) {
      domains(domains: $names, maxAge: $maxAge) { domain available reason rdap { handle } }
    }`,
    { names, maxAge },
  );
  return [...results, ...data.domains];
}

async function expectNoneAvailable(names = registeredNames): Promise<void> {
  // Repeated for a while: no number of false answers makes them true.
  for (let time = 0; time < 3; time += 1) {
    const rows = await lookUp(names);
    expect(rows).toHaveLength(2 * names.length);
    expect(rows.filter(({ available }) => available !== false && available !== null)).toEqual([]);
    clock.advance(40 * minute);
  }
}

describe('a server that IANA does not list and that returns 404 for every name', () => {
  it.each<[string, Script]>([
    ['an RDAP error', notFound()],
    ['no body', emptyNotFound()],
    ['HTML', html(404)],
    ['plain text', status(404, { 'content-type': 'text/plain' }, 'not found')],
  ])('never makes a name available with %s', async (_what, reply) => {
    registry.on(/./, reply);
    await expectNoneAvailable([...registeredNames, 'free.io']);
    expect(await lookUp(['free.io'])).toContainEqual(
      expect.objectContaining({ available: null, reason: 'untrusted_answer' }),
    );
  });

  it('still has registered names, by their delegations', async () => {
    registry.on(/./, notFound());
    const [row] = await lookUp(['github.io']);
    expect(row).toMatchObject({ available: false, status: 'registered', source: 'dns' });
  });
});

describe('a server that IANA does not list', () => {
  it('never makes a name available if it finds the canaries of another TLD only', async () => {
    registry.on(/\.io$/, notFound());
    expect((await lookUp(['free.sh']))[0]).toMatchObject({ available: true });
    await expectNoneAvailable([...registeredNames, 'free.io']);
  });

  it('never makes a delegated name available, although it finds its canaries', async () => {
    registry.on('google.io', registered('google.io'));
    const names = ['github.io', 'taken.io'];
    expect((await lookUp(['free.io']))[0]).toMatchObject({ available: true });
    await expectNoneAvailable(names);
    dnsAnswer = () => 'servfail';
    await expectNoneAvailable([...names, 'secured.io']);
  });

  it('has its available names discarded when it no longer finds its canaries', async () => {
    expect((await lookUp(['free.io']))[0]).toMatchObject({ available: true });
    registry.on(/./, notFound());
    clock.advance(minute);
    // The lookup of a name that the server has lost shows that it fails.
    registry.on('once.io', registered('once.io'));
    await lookUp(['once.io']);
    registry.on(/./, notFound());
    await lookUp(['once.io', 'other.io']);
    const rows = await lookUp(['free.io'], 3600);
    expect(rows.map(({ available }) => available)).toEqual([null, null]);
  });
});

describe('a 404 of another registry or of an aggregator', () => {
  const notices = [{ title: 'Status Codes', description: ['See https://registry.example/epp'] }];
  it.each<[string, Script]>([
    ['without a body', status(404, { 'content-type': rdapJson })],
    [
      'with notices and "Object not found"',
      json(404, { notices, errorCode: 404, title: 'Object not found' }),
    ],
    [
      'about its own bootstrap file',
      json(404, {
        lang: 'en',
        errorCode: 404,
        title: 'domain github.io not found in bootstrap file',
      }),
    ],
  ])('never makes a name of this TLD available: %s', async (_form, reply) => {
    registry.on(/./, reply);
    await expectNoneAvailable([...registeredNames, 'free.io']);
  });
});
