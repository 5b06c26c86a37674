import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../support/fake-registry.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { domainObject } from '../../support/domain-object.ts';
import { hang } from '../../support/hostile-replies.ts';
import { html, registered, status } from '../../support/replies.ts';
import { expectProblem } from '../../support/problems.ts';

let registry: FakeRegistry;
let gateway: Gateway;

const holder = {
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
  entities: [holder],
  redacted: [
    {
      name: { description: 'Registrant Email' },
      method: 'removal',
      reason: { description: 'Server policy' },
    },
  ],
};

beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
  registry.on('full.example', registered('full.example', { members }));
  registry.on(/^html/, html(404));
  registry.on(/^broken/, status(500));
  gateway = await startGateway({
    registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

describe('GET /v1/rdap', () => {
  it('gives a registration with these keys and no others', async () => {
    const contact = {
      roles: ['registrant'],
      handle: 'C-1',
      kind: null,
      name: 'Ada Sample',
      organization: null,
      email: null,
      phone: null,
    };
    const withRest = { ...contact, fax: null, url: null, address: null };
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
        handle: 'FAKE-full.example',
        registrar: null,
        registrant: withRest,
        contacts: [withRest],
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

  it('gives the registrar and his abuse desk', async () => {
    const { registration } = await gateway.get('/v1/rdap?domain=taken.example');
    const abuse = { abuse_email: 'abuse@registrar.test', abuse_phone: null };
    expect(registration.registrar).toEqual({
      name: 'Fake Registrar',
      iana_id: '9999',
      url: null,
      ...abuse,
    });
  });

  it('says of a free name that it is free, with nothing else', async () => {
    expect(await gateway.get('/v1/rdap?domain=nobody.example')).toEqual({
      input: 'nobody.example',
      domain: 'nobody.example',
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

  it('says the same from the cache', async () => {
    const {
      latency_ms: _a,
      cached: first,
      ...asked
    } = await gateway.get('/v1/rdap?domain=taken-twice.example');
    const {
      latency_ms: _b,
      cached: second,
      ...stored
    } = await gateway.get('/v1/rdap?domain=taken-twice.example');
    expect([first, second, registry.asked('taken-twice.example')]).toEqual([false, true, 1]);
    expect(stored).toEqual(asked);
  });

  it.each([
    ['fails', 'broken.example', 'registry_error'],
    ['says what proves nothing', 'html.example', 'untrusted_answer'],
    ['is not known for the TLD', 'a.no-such-tld', 'unsupported_tld'],
  ] as const)('is a problem when the registry %s', async (_what, domain, code) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?domain=${domain}`), code);
  });

  it.each([
    ['is silent', hang(), 'registry_timeout', {}],
    [
      'is busy, and says for how long',
      status(429, { 'retry-after': '7' }),
      'registry_busy',
      { retry_after: 7 },
    ],
    ['is busy, and does not say for how long', status(503), 'registry_busy', { retry_after: 1 }],
  ] as const)('says so when the registry %s', async (_what, reply, code, more) => {
    await using own = await startFakeRegistry();
    own.fallback(reply);
    await using alone = await startGateway({
      registries: { example: own.baseUrl },
      env: { RDAP_TIMEOUT_MS: '1000' },
    });
    const answer = await alone.fetch('/v1/rdap?domain=a.example');
    expect(answer.headers.get('retry-after')).toBe(
      'retry_after' in more ? String(more.retry_after) : null,
    );
    await expectProblem(answer, code, more);
  });

  it('says how a TLD could be added', async () => {
    const { detail } = await gateway.get('/v1/rdap?domain=a.no-such-tld');
    expect(detail).toContain('RDAP_OVERRIDES');
  });

  it.each([
    ['no name', '', 'missing_parameter', 'domain'],
    ['an empty name', 'domain=%20', 'missing_parameter', 'domain'],
    ['two names', 'domain=a.example&domain=b.example', 'invalid_parameter', 'domain'],
    ['a list of names', 'domain=a.example,b.example', 'invalid_name', 'domain'],
    ['a label alone', 'domain=taken', 'invalid_name', 'domain'],
    ['a name one level too deep', 'domain=www.taken.co.uk', 'invalid_name', 'domain'],
    ['an address', 'domain=127.0.0.1', 'invalid_name', 'domain'],
    ['a URL', 'domain=https://taken.example/', 'invalid_name', 'domain'],
    ['an age that is none', 'domain=taken.example&max_age=x', 'invalid_max_age', 'max_age'],
  ] as const)('refuses %s', async (_what, query, code, param) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?${query}`), code, { param });
  });
});
