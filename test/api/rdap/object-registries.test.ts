import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { violationsIn } from '../../support/checks/rdap-conformance.ts';
import { autnum, entity, network } from '../../support/bodies/registry-objects.ts';
import { html, status, type Reply } from '../../support/bodies/replies.ts';

/** The objects of the fake registry, by path. */
const objects: Readonly<Record<string, Reply>> = {
  'ip/8.8.8.8': network('8.8.8.0', '8.8.8.255'),
  'ip/8.8.8.0/24': network('8.8.8.0', '8.8.8.255'),
  'ip/2a00::1': network('2a00::', '2a00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  'autnum/3333': autnum(3333),
  'entity/ORG-EX1-FAKE': entity('ORG-EX1-FAKE'),
  'entity/A/B-FAKE': entity('A/B-FAKE'),
};

const registry = await forThisFile(startFakeRegistry);
for (const [path, reply] of Object.entries(objects)) registry.on(path, reply);
registry.on(/^ip\/8\.9\./, status(500));
registry.on(/^ip\/8\.10\./, html(404));
const { baseUrl } = registry;
const options = {
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

describe('objects of the regional registries', () => {
  it.each([
    ['ip/8.8.8.8', 'ip network', 'ip/8.8.8.8'],
    ['ip/8.8.8.0/24', 'ip network', 'ip/8.8.8.0/24'],
    ['ip/8.8.8.0%2F24', 'ip network', 'ip/8.8.8.0/24'],
    ['ip/2A00::1', 'ip network', 'ip/2a00::1'],
    ['autnum/3333', 'autnum', 'autnum/3333'],
    ['entity/ORG-EX1-FAKE', 'entity', 'entity/ORG-EX1-FAKE'],
    ['entity/A%2FB-FAKE', 'entity', 'entity/A%2FB-FAKE'],
  ] as const)('relays %s, and redirects to it', async (path, objectClass, sourcePath) => {
    const response = await customer.fetch(`/rdap/${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/rdap+json',
    ]);
    const body = await response.json();
    expect(violationsIn(body, objectClass)).toEqual([]);
    expect(body.notices).toEqual([
      expect.objectContaining({
        title: 'Source',
        links: [expect.objectContaining({ href: registry.baseUrl + sourcePath })],
      }),
    ]);
    expect(costIn(response)).toMatchObject({ charged: prices.object(1) });

    const redirect = await redirected.fetch(`/rdap/${path}`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      302,
      registry.baseUrl + sourcePath,
    ]);
  });

  it('are not charged when the gateway redirects', async () => {
    expect(await redirected.balance()).toMatchObject({ used: 0 });
  });

  it.each([
    ['ip/8.1.1.1', 404, 'not_found'],
    ['autnum/3001', 404, 'not_found'],
    ['entity/NONE-FAKE', 404, 'not_found'],
    ['ip/8.9.1.1', 502, 'registry_error'],
    ['ip/8.10.1.1', 502, 'untrusted_answer'],
    ['ip/10.0.0.1', 400, 'special_use'],
    ['ip/9.9.9.9', 400, 'no_registry'],
  ])('%s is an error', async (path, code, problem) => {
    const response = await customer.fetch(`/rdap/${path}`);
    const body = await response.json();
    expect([response.status, body.errorCode, body.notices.at(-1).description]).toEqual([
      code,
      code,
      [problem],
    ]);
  });

  it('need credits', async () => {
    const poor = await relaying.newCustomer({ credits: 1 });
    expect((await poor.fetch('/rdap/ip/8.8.8.9')).status).toBe(402);
    expect(registry.requestCount('ip/8.8.8.9')).toBe(0);
  });
});
