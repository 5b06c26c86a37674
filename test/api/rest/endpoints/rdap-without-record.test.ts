import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startFakeDas } from '../../../support/servers/fake-das-server.ts';
import { writeBootstrap } from '../../../support/servers/fake-bootstrap.ts';
import { startFakeZone } from '../../../support/servers/fake-zone.ts';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { prices } from '../../../../src/execution/charging/prices.ts';
import { startMeteredGateway } from '../../../support/gateways/metered-gateway.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { expectMatchesOpenApi } from '../../../support/checks/described.ts';
import { expectProblem } from '../../../support/checks/problems.ts';
import { notFound, registered, status } from '../../../support/bodies/replies.ts';

/** `.bare` has only the DNS, `.lt` an availability service, `.listed` RDAP that IANA lists. */

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|seen)/, ({ name }) => registered(name));
registry.on(/^broken/, status(500));
registry.on(/^taken/, notFound());
const das = await forThisFile(startFakeDas, (query) => {
  const name = query.replace('get 1.0 ', '');
  return `Domain: ${name}\nStatus: ${/^(?:taken|google)/.test(name) ? 'registered' : 'available'}\n`;
});
const dns = await forThisFile(startFakeZone, (name) =>
  /^(?:taken|broken|google)/.test(name) && !name.endsWith('.lt') ? 'delegated' : 'nxdomain',
);
const sources = await forThisFile(writeBootstrap, {
  suffixes: { '': { dns: dns.servers }, lt: { das: `${das.host}:${das.port}` }, bare: {} },
});
const gateway = await forThisFile(startGateway, {
  registries: { listed: registry.baseUrl },
  env: { SOURCES_FILE: sources.path, RDAP_TIMEOUT_MS: '2000' },
});

const noRecord = { nameservers: [], registration: null, rdap: null };
const noRdap = { problem: { code: 'no_rdap', detail: expect.stringContaining('no record') } };

describe('GET /v1/rdap of a name with a verdict but no record', () => {
  it('returns the verdict of the DNS, with every key of a row', async () => {
    const response = await gateway.fetch('/v1/rdap?domain=taken.bare');
    expect(response.status).toBe(200);
    await expectMatchesOpenApi(response.clone(), 'get /v1/rdap');
    expect(await response.json()).toEqual({
      input: 'taken.bare',
      domain: 'taken.bare',
      available: false,
      status: 'registered',
      confidence: 'authoritative',
      source: 'dns',
      rdap_endpoint: null,
      cached: false,
      stale: false,
      checked_at: expect.stringMatching(/Z$/),
      latency_ms: expect.any(Number),
      ...noRecord,
      ...noRdap,
    });
  });

  it.each([
    ['taken.lt', 'registered', false],
    ['free.lt', 'available', true],
  ])('returns the verdict of an availability service: %s', async (domain, verdict, available) => {
    const response = await gateway.fetch(`/v1/rdap?domain=${domain}`);
    await expectMatchesOpenApi(response.clone(), 'get /v1/rdap');
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({
        status: verdict,
        available,
        source: 'das',
        ...noRecord,
        ...noRdap,
      }),
    ]);
  });

  it('returns the verdict of the DNS if RDAP fails, and says so', async () => {
    const body = await gateway.get('/v1/rdap?domain=broken.listed');
    expect(body).toMatchObject({ status: 'registered', source: 'dns', ...noRecord, ...noRdap });
    expect(body.problem.detail).toContain('registry_error');
  });

  it('has no problem if there is a record, or if RDAP says that the name is available', async () => {
    for (const domain of ['seen.listed', 'free.listed'])
      expect(await gateway.get(`/v1/rdap?domain=${domain}`)).not.toHaveProperty('problem');
  });

  it('is the same in GraphQL', async () => {
    const { data } = await gateway.graphql(
      '{ domain(name: "taken.bare") { status available reason source problem { code detail } rdap { handle } } }',
    );
    const { problem } = await gateway.get('/v1/rdap?domain=taken.bare');
    expect(data.domain).toEqual({
      status: 'REGISTERED',
      available: false,
      reason: null,
      source: 'dns',
      problem,
      rdap: null,
    });
  });
});

/** Returns the status and the caching headers of a record. */
async function headersOf(domain: string, headers: Record<string, string> = {}): Promise<Json> {
  const response = await gateway.fetch(`/v1/rdap?domain=${domain}`, { headers });
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    caching: response.headers.get('cache-control'),
  };
}

describe('HTTP caches', () => {
  it('may reuse a verdict without a record if the TLD has no RDAP', async () => {
    const { etag, caching } = await headersOf('taken-cached.bare');
    expect(caching).toMatch(/^private, max-age=[1-9]\d*$/);
    expect(await headersOf('taken-cached.bare', { 'if-none-match': etag })).toMatchObject({
      status: 304,
      etag,
    });
  });

  it('may not reuse a verdict whose record is missing because RDAP failed', async () => {
    expect(await headersOf('broken-again.listed')).toMatchObject({
      status: 200,
      caching: 'private, max-age=0',
    });
  });

  it('may not reuse a problem', async () => {
    for (const domain of ['free.bare', 'taken.listed'])
      expect(await headersOf(domain)).toEqual({ status: 502, etag: null, caching: 'no-store' });
  });
});

it.each([
  ['free.bare', 'not_delegated'],
  ['taken.listed', 'contradicted'],
] as const)('GET /v1/rdap of a name without a verdict is a problem: %s', async (domain, code) => {
  await expectProblem(await gateway.fetch(`/v1/rdap?domain=${domain}`), code);
});

it('costs as much as a name, also if the policy of the TLD reserves it', async () => {
  await using file = await writeBootstrap({
    suffixes: { '': { dns: dns.servers }, lt: { das: `${das.host}:${das.port}`, policy: 'BRAND' } },
  });
  await using metered = await startMeteredGateway({ env: { SOURCES_FILE: file.path } });
  const customer = await metered.newCustomer();
  const response = await customer.fetch('/v1/rdap?domain=free.lt');
  expect(await response.json()).toMatchObject({
    status: 'reserved',
    problem: { code: 'brand_tld' },
  });
  expect(response.headers.get('x-credits-charged')).toBe(String(prices.single(1)));
});
