import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { expectProblem } from '../../../support/checks/problems.ts';

const gateway = await forThisFile(startGateway);

const get = (query: string) => gateway.get(`/v1/rdap?${query}`);

describe('GET /v1/rdap', () => {
  it('returns the network of an address', async () => {
    const body = await get('query=192.0.2.53&type=ip');
    expect(body).toEqual({
      input: '192.0.2.53',
      type: 'ip',
      found: true,
      source: 'rdap',
      rdap_endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      cached: false,
      stale: false,
      checked_at: expect.any(String),
      latency_ms: expect.any(Number),
      object: expect.objectContaining({
        handle: 'NET-192-0-2-0-26-SANDBOX',
        start_address: '192.0.2.0',
        end_address: '192.0.2.63',
        cidr: ['192.0.2.0/26'],
        version: 'v4',
        parent_handle: 'NET-192-0-2-0-24-SANDBOX',
        statuses: ['active'],
      }),
      rdap: expect.objectContaining({ objectClassName: 'ip network' }),
    });
  });

  it.each([
    ['an address', '192.0.2.53', 'ip', 'NET-192-0-2-0-26-SANDBOX'],
    ['a network', '192.0.2.0/24', 'ip', 'NET-192-0-2-0-24-SANDBOX'],
    ['an IPv6 address', '2001:DB8:1::53', 'ip', 'NET6-2001-DB8-1-48-SANDBOX'],
    ['an autonomous system', 'as64496', 'autnum', 'AS64496'],
    ['a number', '64496', 'autnum', 'AS64496'],
    ['a handle', 'NETWORKS-SANDBOX', 'entity', 'NETWORKS-SANDBOX'],
  ])('recognizes %s without a type: %s', async (_what, text, type, handle) => {
    const { object, ...body } = await get(`query=${encodeURIComponent(text)}`);
    expect([body.type, body.found, object.handle]).toEqual([type, true, handle]);
  });

  it('takes a name for a domain unless the type is nameserver', async () => {
    const name = 'query=ns1.example-dns.test';
    const { object } = await get(`${name}&type=nameserver`);
    expect(object).toMatchObject({ ldh_name: 'ns1.example-dns.test', ipv4: ['192.0.2.53'] });
    expect(await get('query=taken.test')).toMatchObject({ domain: 'taken.test', available: false });
  });

  it('reports an object that does not exist as not found', async () => {
    expect(await get('query=203.0.113.1')).toMatchObject({
      found: false,
      object: null,
      rdap: null,
    });
  });

  it('writes keys in snake_case on request', async () => {
    const { rdap } = await get('query=64496&naming=snake');
    expect(rdap).toMatchObject({ object_class_name: 'autnum', start_autnum: 64496 });
  });

  it.each([
    ['query=192.0.2.53&type=network', 'invalid_parameter', 'type'],
    ['query=example&type=ip', 'invalid_parameter', 'query'],
    ['query=300.0.0.1', 'invalid_parameter', 'query'],
    ['domain=192.0.2.53', 'invalid_name', 'domain'],
    ['query=AS4294967296', 'invalid_parameter', 'query'],
    ['query=8.8.8.8&max_age=-1', 'invalid_max_age', 'max_age'],
    ['query=292&type=entity&tld=-', 'invalid_name', 'tld'],
    ['query=292&type=entity', 'no_registry', undefined],
  ] as const)('rejects %s', async (query, code, param) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?${query}`), code, param ? { param } : {});
  });

  it.each([
    ['203.0.113.128', 'registry_error'],
    ['203.0.113.160', 'untrusted_answer'],
  ] as const)('reports a failure of the registry: %s', async (address, code) => {
    const response = await gateway.fetch(`/v1/rdap?query=${address}`);
    expect((await response.json()).code).toEqual(code);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('allows caching for a day, and answers with 304', async () => {
    const first = await gateway.fetch('/v1/rdap?query=192.0.2.53');
    const etag = first.headers.get('etag') ?? '';
    const again = await gateway.fetch('/v1/rdap?query=192.0.2.53', {
      headers: { 'if-none-match': etag },
    });
    expect(first.headers.get('x-data-freshness')).toMatch(/fresh|cached/);
    expect(again.status).toBe(304);
  });
});
