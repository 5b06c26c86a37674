import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { violationsIn } from '../../support/checks/rdap-conformance.ts';
import { autnum, entity, nameserver, network } from '../../support/bodies/registry-objects.ts';
import { html, status, type Reply } from '../../support/bodies/replies.ts';

/** The objects of the fake registry, by path. */
const objects: Readonly<Record<string, Reply>> = {
  'ip/8.8.8.8': network('8.8.8.0', '8.8.8.255'),
  'ip/8.8.8.0/24': network('8.8.8.0', '8.8.8.255'),
  'ip/2a00::1': network('2a00::', '2a00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  'autnum/3333': autnum(3333),
  'entity/ORG-EX1-FAKE': entity('ORG-EX1-FAKE'),
  'entity/A/B-FAKE': entity('A/B-FAKE'),
  'nameserver/ns1.dns.fake': nameserver('ns1.dns.fake', ['8.8.8.8']),
};

const registry = await forThisFile(startFakeRegistry);
for (const [path, reply] of Object.entries(objects)) registry.on(path, reply);
registry.on(/^(?:ip\/8\.9\.|nameserver\/broken\.)/, status(500));
registry.on(/^(?:ip\/8\.10\.|nameserver\/html\.)/, html(404));
const { baseUrl } = registry;
const options = {
  registries: { fake: baseUrl },
  objects: {
    ipv4: { '8.0.0.0/8': baseUrl },
    ipv6: { '2a00::/12': baseUrl },
    asn: { '3000-4000': baseUrl },
    tags: { FAKE: baseUrl },
  },
};
const relaying = await forThisFile(startMeteredGateway, options);
const redirecting = await forThisFile(startMeteredGateway, {
  ...options,
  env: { RDAP_RELAY: 'redirect' },
});
const customer = await relaying.newCustomer();
const redirected = await redirecting.newCustomer();

const classOf = (path: string) =>
  path.startsWith('ip/')
    ? 'ip network'
    : (path.split('/')[0] as 'autnum' | 'entity' | 'nameserver');

describe('objects of registries', () => {
  it.each([
    ['ip/8.8.8.8', 'ip/8.8.8.8'],
    ['ip/8.8.8.0/24', 'ip/8.8.8.0/24'],
    ['ip/8.8.8.0%2F24', 'ip/8.8.8.0/24'],
    ['ip/2A00::1', 'ip/2a00::1'],
    ['autnum/3333', 'autnum/3333'],
    ['entity/ORG-EX1-FAKE', 'entity/ORG-EX1-FAKE'],
    ['entity/A%2FB-FAKE', 'entity/A%2FB-FAKE'],
    ['nameserver/NS1.dns.fake', 'nameserver/ns1.dns.fake'],
  ])('%s is relayed, or redirected to %s at no charge', async (path, sourcePath) => {
    const response = await customer.fetch(`/rdap/${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/rdap+json');
    const body = await response.json();
    expect(violationsIn(body, classOf(path))).toEqual([]);
    expect(body.notices).toMatchObject([
      { title: 'Source', links: [{ href: baseUrl + sourcePath }] },
    ]);
    expect(costIn(response)).toMatchObject({ charged: prices.object(1) });

    const redirect = await redirected.fetch(`/rdap/${path}`, { redirect: 'manual' });
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('location')).toBe(baseUrl + sourcePath);
    expect(await redirected.balance()).toMatchObject({ used: 0 });
  });

  it.each([
    ['ip/8.1.1.1', 404, 'not_found'],
    ['autnum/3001', 404, 'not_found'],
    ['entity/NONE-FAKE', 404, 'not_found'],
    ['nameserver/ns2.dns.fake', 404, 'not_found'],
    ['ip/8.9.1.1', 502, 'registry_error'],
    ['nameserver/broken.dns.fake', 502, 'registry_error'],
    ['ip/8.10.1.1', 502, 'untrusted_answer'],
    ['nameserver/html.dns.fake', 502, 'untrusted_answer'],
    ['ip/10.0.0.1', 400, 'special_use'],
    ['ip/9.9.9.9', 400, 'no_registry'],
    ['nameserver/ns1.no-such-tld', 400, 'no_registry'],
    ['nameserver/-', 400, 'invalid_parameter'],
    ['entity/UNTAGGED', 400, 'no_registry'],
    ['entity/%00', 400, 'invalid_parameter'],
    ['entity/', 400, 'missing_parameter'],
    ['ip/300.0.0.1', 400, 'invalid_parameter'],
    ['ip/192.0.2.0/33', 400, 'invalid_parameter'],
    ['autnum/4294967296', 400, 'invalid_parameter'],
    ['autnum/x', 400, 'invalid_parameter'],
  ])('%s is an error', async (path, code, problem) => {
    const response = await customer.fetch(`/rdap/${path}`);
    const { errorCode, notices } = await response.json();
    expect([response.status, errorCode]).toEqual([code, code]);
    expect(notices.at(-1).description).toEqual([problem]);
  });

  it.each(['ip/8.8.8.9', 'nameserver/ns9.dns.fake'])('%s needs credits', async (path) => {
    const poor = await relaying.newCustomer({ credits: 1 });
    expect((await poor.fetch(`/rdap/${path}`)).status).toBe(402);
    expect(registry.requestCount(path)).toBe(0);
  });
});

describe.each([
  ['relay', customer],
  ['redirect', redirected],
])('objects of the sandbox with RDAP_RELAY=%s', (_mode, caller) => {
  it.each([
    'ip/192.0.2.53',
    'ip/192.0.2.0/24',
    'ip/192.0.2.0%2F24',
    'ip/2001:db8:1::53',
    'autnum/64496',
    'entity/NETWORKS-SANDBOX',
    'nameserver/ns1.example-dns.test',
  ])('relays %s at no charge', async (path) => {
    const response = await caller.fetch(`/rdap/${path}`, { redirect: 'manual' });
    expect(response.status).toBe(200);
    expect(violationsIn(await response.json(), classOf(path))).toEqual([]);
    expect(costIn(response)).toMatchObject({ charged: 0 });
  });

  it('answers HEAD, and conditions with a 304', async () => {
    const path = '/rdap/ip/192.0.2.53';
    const head = await caller.fetch(path, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    const again = await caller.fetch(path, { headers: { 'if-none-match': etag } });
    expect([head.status, again.status]).toEqual([200, 304]);
  });
});
