import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { domainObject } from '../../../support/bodies/domain-object.ts';
import { hang } from '../../../support/bodies/hostile-replies.ts';
import { html, registered, status } from '../../../support/bodies/replies.ts';
import { expectProblem } from '../../../support/checks/problems.ts';

const registrant = {
  objectClassName: 'entity',
  handle: 'C-1',
  roles: ['registrant'],
  vcardArray: [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      ['fn', {}, 'text', 'Ada Sample'],
    ],
  ],
};

const members = {
  secureDNS: {
    delegationSigned: true,
    dsData: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB' }],
  },
  entities: [registrant],
  redacted: [
    {
      name: { description: 'Registrant Email' },
      method: 'removal',
      reason: { description: 'Server policy' },
    },
  ],
};

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
registry.on('full.example', registered('full.example', { members }));
registry.on(/^html/, html(404));
registry.on(/^broken/, status(500));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
  delegates: ['taken'],
});

describe('GET /v1/rdap', () => {
  it('returns a registration with exactly these keys', async () => {
    const contact = {
      roles: ['registrant'],
      handle: 'C-1',
      kind: null,
      name: 'Ada Sample',
      organization: null,
      email: null,
      phone: null,
      phones: [],
    };
    const fullContact = { ...contact, fax: null, url: null, address: null };
    const nameservers = ['ns1.example-dns.test', 'ns2.example-dns.test'];
    expect(await gateway.get('/v1/rdap?domain=FULL.example')).toEqual({
      input: 'FULL.example',
      domain: 'full.example',
      available: false,
      status: 'registered',
      confidence: 'authoritative',
      source: 'rdap',
      rdap_endpoint: registry.baseUrl,
      cached: false,
      stale: false,
      checked_at: expect.stringMatching(/Z$/),
      latency_ms: expect.any(Number),
      nameservers,
      registration: {
        source: 'rdap',
        confidence: 'authoritative',
        handle: 'FAKE-full.example',
        registrar: null,
        registrant: fullContact,
        contacts: [fullContact],
        created_at: '2001-02-03T04:05:06.000Z',
        updated_at: '2024-05-06T07:08:09.000Z',
        expires_at: '2099-02-03T04:05:06.000Z',
        statuses: ['active'],
        hosts: nameservers.map((name) => ({ name, ipv4: [], ipv6: [] })),
        dnssec: {
          signed: true,
          ds_records: [{ key_tag: 1, algorithm: 13, digest_type: 2, digest: 'AB' }],
        },
        redacted: [{ name: 'Registrant Email', method: 'removal', reason: 'Server policy' }],
      },
      rdap: domainObject('full.example', { members }),
    });
  });

  it('returns the registrar and its abuse contact', async () => {
    const { registration } = await gateway.get('/v1/rdap?domain=taken.example');
    const abuse = { abuse_email: 'abuse@registrar.test', abuse_phone: null };
    expect(registration.registrar).toEqual({
      name: 'Fake Registrar',
      iana_id: '9999',
      url: null,
      ...abuse,
    });
  });

  it('returns an available name without a registration', async () => {
    expect(await gateway.get('/v1/rdap?domain=free.example')).toEqual({
      input: 'free.example',
      domain: 'free.example',
      available: true,
      status: 'available',
      confidence: 'authoritative',
      source: 'rdap',
      rdap_endpoint: registry.baseUrl,
      cached: false,
      stale: false,
      checked_at: expect.any(String),
      latency_ms: expect.any(Number),
      nameservers: [],
      registration: null,
      rdap: null,
    });
  });

  it('returns the same from the cache', async () => {
    const {
      latency_ms: _a,
      cached: first,
      ...fetched
    } = await gateway.get('/v1/rdap?domain=taken-twice.example');
    const {
      latency_ms: _b,
      cached: second,
      ...stored
    } = await gateway.get('/v1/rdap?domain=taken-twice.example');
    expect([first, second, registry.requestCount('taken-twice.example')]).toEqual([false, true, 1]);
    expect(stored).toEqual(fetched);
  });

  it.each([
    ['fails', 'broken.example', 'registry_error'],
    ['sends an inconclusive response', 'html.example', 'untrusted_answer'],
    ['of the TLD is unknown', 'a.no-such-tld', 'unsupported_tld'],
  ] as const)('returns a problem if the registry %s', async (_what, domain, code) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?domain=${domain}`), code);
  });

  it.each([
    ['does not respond', hang(), 'registry_timeout', {}],
    [
      'is busy and sends Retry-After',
      status(429, { 'retry-after': '7' }),
      'registry_busy',
      { retry_after: 7 },
    ],
    ['is busy and sends no Retry-After', status(503), 'registry_busy', { retry_after: 1 }],
  ] as const)(
    'returns a retryable problem if the registry %s',
    async (_what, reply, code, more) => {
      await using failing = await startFakeRegistry();
      failing.fallback(reply);
      await using other = await startGateway({
        registries: { example: failing.baseUrl },
        env: { RDAP_TIMEOUT_MS: '1000' },
      });
      const response = await other.fetch('/v1/rdap?domain=a.example');
      expect(response.headers.get('retry-after')).toBe(
        'retry_after' in more ? String(more.retry_after) : null,
      );
      await expectProblem(response, code, more);
    },
  );

  it('says that a TLD does not exist', async () => {
    const { detail } = await gateway.get('/v1/rdap?domain=a.no-such-tld');
    expect(detail).toContain('.no-such-tld is not a TLD');
  });

  it.each([
    ['no name', '', 'missing_parameter', 'domain'],
    ['an empty name', 'domain=%20', 'missing_parameter', 'domain'],
    ['two names', 'domain=a.example&domain=b.example', 'invalid_parameter', 'domain'],
    ['a list of names', 'domain=a.example,b.example', 'invalid_name', 'domain'],
    ['a label alone', 'domain=taken', 'invalid_name', 'domain'],
    ['a name one level too deep', 'domain=www.taken.co.uk', 'invalid_name', 'domain'],
    ['an IP address', 'domain=127.0.0.1', 'invalid_name', 'domain'],
    ['a URL', 'domain=https://taken.example/', 'invalid_name', 'domain'],
    ['an invalid age', 'domain=taken.example&max_age=x', 'invalid_max_age', 'max_age'],
  ] as const)('rejects %s', async (_what, query, code, param) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?${query}`), code, { param });
  });
});
