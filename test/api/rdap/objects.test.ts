import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { costIn, startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { violationsIn } from '../../support/checks/rdap-conformance.ts';
import { nameserver } from '../../support/bodies/registry-objects.ts';
import { html, status } from '../../support/bodies/replies.ts';

const relaying = await forThisFile(startMeteredGateway);
const redirecting = await forThisFile(startMeteredGateway, { env: { RDAP_RELAY: 'redirect' } });
const { registry } = relaying;
registry.on('nameserver/ns1.dns.example', nameserver('ns1.dns.example', ['8.8.8.8']));
registry.on('nameserver/broken.dns.example', status(500));
registry.on('nameserver/html.dns.example', html(404));
const customer = await relaying.newCustomer();
const redirected = await redirecting.newCustomer();

describe('objects of registries', () => {
  it('are relayed', async () => {
    const response = await customer.fetch('/rdap/nameserver/NS1.dns.example');
    const body = await response.json();
    expect([response.status, violationsIn(body, 'nameserver')]).toEqual([200, []]);
    expect(body.notices).toEqual([
      expect.objectContaining({
        title: 'Source',
        links: [
          expect.objectContaining({
            href: `${relaying.registry.baseUrl}nameserver/ns1.dns.example`,
          }),
        ],
      }),
    ]);
    expect(costIn(response)).toMatchObject({ charged: prices.object(1) });
  });

  it('are redirected to at no charge', async () => {
    const { status: code, headers } = await redirected.fetch('/rdap/nameserver/NS1.dns.example', {
      redirect: 'manual',
    });
    expect([code, headers.get('location')]).toEqual([
      302,
      `${redirecting.registry.baseUrl}nameserver/ns1.dns.example`,
    ]);
    expect(await redirected.balance()).toMatchObject({ used: 0 });
  });

  it.each([
    ['nameserver/ns2.dns.example', 404, 'not_found'],
    ['nameserver/broken.dns.example', 502, 'registry_error'],
    ['nameserver/html.dns.example', 502, 'untrusted_answer'],
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
    const body = await response.json();
    expect([response.status, body.errorCode, body.notices.at(-1).description]).toEqual([
      code,
      code,
      [problem],
    ]);
  });

  it('need credits', async () => {
    const poor = await relaying.newCustomer({ credits: 1 });
    expect((await poor.fetch('/rdap/nameserver/ns9.dns.example')).status).toBe(402);
    expect(relaying.registry.requestCount('nameserver/ns9.dns.example')).toBe(0);
  });
});

describe.each([
  ['relay', () => customer],
  ['redirect', () => redirected],
])('objects of the sandbox with RDAP_RELAY=%s', (_mode, caller) => {
  it.each([
    ['ip/192.0.2.53', 'ip network'],
    ['ip/192.0.2.0/24', 'ip network'],
    ['ip/192.0.2.0%2F24', 'ip network'],
    ['ip/2001:db8:1::53', 'ip network'],
    ['autnum/64496', 'autnum'],
    ['entity/NETWORKS-SANDBOX', 'entity'],
    ['nameserver/ns1.example-dns.test', 'nameserver'],
  ] as const)('relays %s at no charge', async (path, objectClass) => {
    const response = await caller().fetch(`/rdap/${path}`, { redirect: 'manual' });
    expect([response.status, violationsIn(await response.json(), objectClass)]).toEqual([200, []]);
    expect(costIn(response)).toMatchObject({ charged: 0 });
  });

  it('answers HEAD, and conditions with a 304', async () => {
    const path = '/rdap/ip/192.0.2.53';
    const head = await caller().fetch(path, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    const again = await caller().fetch(path, { headers: { 'if-none-match': etag } });
    expect([head.status, again.status]).toEqual([200, 304]);
  });
});
