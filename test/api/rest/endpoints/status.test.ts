import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { html, registered, status } from '../../../support/bodies/replies.ts';
import { expectProblem } from '../../../support/checks/problems.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
registry.on(/^html/, html(404));
registry.on(/^forbidden/, status(403));
registry.on(/^redemption/, ({ name }) => registered(name, { statuses: ['redemption period'] }));
const served = ['example', 'invalid', 'co.uk'].map((entry) => [entry, registry.baseUrl]);
const gateway = await forThisFile(startGateway, {
  registries: Object.fromEntries(served),
  delegates: ['taken'],
  env: { MAX_TLDS: '4' },
});

const getWithMaxAge = (age: string) =>
  gateway.get(`/v1/status?domain=taken-aged.example&max_age=${age}`);
const domainsOf = ({ results }: Json): string[] => results.map(({ domain }: Json) => domain);

describe('GET /v1/status', () => {
  it('returns one label under several TLDs, in request order, with exactly these keys', async () => {
    const row = {
      confidence: 'authoritative',
      source: 'rdap',
      rdap_endpoint: registry.baseUrl,
      cached: false,
      stale: false,
    };
    const times = {
      checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      latency_ms: expect.any(Number),
    };
    expect(await gateway.get('/v1/status?name=redemption&tlds=invalid,example')).toEqual({
      name: 'redemption',
      results: [
        {
          domain: 'redemption.invalid',
          tld: 'invalid',
          available: false,
          status: 'redemption',
          ...row,
          ...times,
        },
        {
          domain: 'redemption.example',
          tld: 'example',
          available: false,
          status: 'redemption',
          ...row,
          ...times,
        },
      ],
      cached: false,
      latency_ms: expect.any(Number),
      meta: { total_checked: 2, available_count: 0, duration_ms: expect.any(Number) },
    });
  });

  it.each([
    ['comma-separated', 'name=taken&tlds=example,invalid', ['taken.example', 'taken.invalid']],
    ['repeated', 'name=taken&tlds=example&tlds=invalid', ['taken.example', 'taken.invalid']],
    [
      'comma-separated and repeated',
      'name=taken&tlds=example,invalid&tlds=co.uk',
      ['taken.example', 'taken.invalid', 'taken.co.uk'],
    ],
    [
      'with dots, capitals, spaces and empty entries',
      'name=%20TAKEN&tlds=.EXAMPLE,,%20.invalid%20,+Co.Uk,',
      ['taken.example', 'taken.invalid', 'taken.co.uk'],
    ],
    [
      'with duplicates',
      'name=taken&tlds=invalid,.INVALID,example,invalid',
      ['taken.invalid', 'taken.example'],
    ],
    [
      'as full names',
      'domain=TAKEN.example,taken.co.uk.&domain=%20taken.invalid',
      ['taken.example', 'taken.co.uk', 'taken.invalid'],
    ],
    ['with a U-label as the name', 'name=B%C3%BCcher&tlds=example', ['xn--bcher-kva.example']],
  ])('accepts TLDs %s', async (_how, query, domains) => {
    expect(domainsOf(await gateway.get(`/v1/status?${query}`))).toEqual(domains);
  });

  it.each([
    ['name=B%C3%9Ccher&tlds=example', 'xn--bcher-kva'],
    ['domain=B%C3%9Ccher.example', 'xn--bcher-kva'],
    ['domain=taken.co.uk', 'taken'],
    ['domain=taken.example,TAKEN.example.', 'taken'],
    ['domain=a.no-such-tld', 'a'],
    ['domain=taken.example,taken.co.uk', null],
    ['domain=not%20a%20name', null],
    ['domain=www.taken.co.uk', null],
  ])(
    'returns the label as an A-label, or null unless there is exactly one: %s',
    async (query, name) => {
      expect((await gateway.get(`/v1/status?${query}`)).name).toBe(name);
    },
  );

  it('returns 200 with the reason for each name without a verdict', async () => {
    const response = await gateway.fetch(
      '/v1/status?domain=html.example,forbidden.example,a_b.example,a.no-such-tld',
    );
    const { results } = (await response.json()) as Json;
    expect(response.status).toBe(200);
    const withoutSource = { source: null, rdap_endpoint: null, checked_at: null, cached: false };
    expect(results).toMatchObject([
      {
        available: null,
        status: 'unknown',
        reason: 'untrusted_answer',
        detail: 'The registry sent a 404 that is not an RDAP response.',
        source: 'rdap',
        rdap_endpoint: registry.baseUrl,
      },
      {
        available: null,
        status: 'unknown',
        reason: 'registry_error',
        detail: 'The registry rejected the query with status 403.',
        source: 'rdap',
      },
      {
        domain: 'a_b.example',
        available: null,
        status: 'invalid',
        reason: 'invalid_name',
        detail: expect.stringContaining('not a domain name'),
        ...withoutSource,
      },
      {
        domain: 'a.no-such-tld',
        tld: 'no-such-tld',
        available: null,
        status: 'unsupported_tld',
        reason: 'unsupported_tld',
        detail: expect.stringContaining('.no-such-tld is not a TLD'),
        ...withoutSource,
      },
    ]);
  });

  it('shows an invalid TLD as it was sent', async () => {
    const { results } = await gateway.get('/v1/status?name=taken&tlds=example,%20c%20m');
    expect(results[1]).toMatchObject({
      domain: 'taken.c m',
      status: 'invalid',
      reason: 'invalid_name',
    });
  });

  it.each([
    ['name=taken&tlds=test,shop.test', 'commas'],
    ['name=taken&tlds=test&tlds=shop.test', 'repeated parameters'],
    [
      'name=taken&tlds%5B%5D=test&tlds[]=shop.test',
      'repeated parameters with brackets, as axios and Rails send them',
    ],
    ['name=taken&tlds%5B0%5D=test&tlds[1]=shop.test', 'numbered parameters, as PHP sends them'],
    ['domain[]=taken.test&domain[]=taken.shop.test', 'brackets after domain'],
  ])('accepts the list %s with %s', async (query) => {
    const { results } = await gateway.get(`/v1/status?${query}`);
    expect(results.map(({ domain }: Json) => domain)).toEqual(['taken.test', 'taken.shop.test']);
  });

  it('is cached if every row that needs a registry is cached', async () => {
    await gateway.get('/v1/status?domain=taken-one.example');
    const cachedFor = async (domains: string) => {
      const { cached, results } = await gateway.get(`/v1/status?domain=${domains}`);
      return [cached, ...results.map((row: Json) => row.cached)];
    };
    expect(await cachedFor('taken-one.example,a_b.example,a.no-such-tld')).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await cachedFor('taken-one.example,taken-two.example')).toEqual([false, true, false]);
    expect(await cachedFor('a_b.example')).toEqual([false, false]);
  });

  it('queries the registry with max_age=0, and accepts whole numbers of any length', async () => {
    await getWithMaxAge('0');
    expect((await getWithMaxAge('99999999999999999999')).cached).toBe(true);
    expect((await getWithMaxAge('2592000')).cached).toBe(true);
    expect((await getWithMaxAge('0')).cached).toBe(false);
    expect(registry.requestCount('taken-aged.example')).toBe(2);
  });

  it.each([
    ['neither form', '', 'invalid_parameter', 'domain'],
    ['both forms', 'name=taken&tlds=example&domain=taken.example', 'invalid_parameter', 'domain'],
    ['tlds with domain', 'tlds=example&domain=taken.example', 'invalid_parameter', 'domain'],
    ['no TLDs', 'name=taken', 'missing_parameter', 'tlds'],
    ['no name', 'tlds=example', 'missing_parameter', 'name'],
    ['an empty name', 'name=&tlds=example', 'missing_parameter', 'name'],
    ['empty TLDs', 'name=taken&tlds=%20,', 'missing_parameter', 'tlds'],
    ['an empty list of names', 'domain=', 'missing_parameter', 'domain'],
    ['an empty age', 'domain=taken.example&max_age=', 'missing_parameter', 'max_age'],
    ['two names', 'name=a&name=b&tlds=example', 'invalid_parameter', 'name'],
    ['two ages', 'domain=taken.example&max_age=1&max_age=1', 'invalid_parameter', 'max_age'],
    ['an invalid name', 'name=a_b&tlds=example', 'invalid_name', 'name'],
    ['a name of two labels', 'name=taken.co&tlds=uk', 'invalid_name', 'name'],
    ['a full name without TLDs', 'name=taken.example', 'invalid_name', 'name'],
    [
      'an age that is not a number',
      'domain=taken.example&max_age=soon',
      'invalid_max_age',
      'max_age',
    ],
    ['a negative age', 'domain=taken.example&max_age=-1', 'invalid_max_age', 'max_age'],
    ['a fractional age', 'domain=taken.example&max_age=1.5', 'invalid_max_age', 'max_age'],
    [
      'an age in another notation',
      'domain=taken.example&max_age=0x10',
      'invalid_max_age',
      'max_age',
    ],
    ['too many TLDs', 'name=taken&tlds=a,b,c,d,e', 'too_many_tlds', 'tlds'],
    ['too many names', 'domain=a.a,b.a,c.a,d.a,e.a', 'too_many_tlds', 'domain'],
  ] as const)('rejects %s and names the parameter', async (_what, query, code, param) => {
    const before = registry.requests.length;
    await expectProblem(await gateway.fetch(`/v1/status?${query}`), code, { param });
    expect(registry.requests.length).toBe(before);
  });
});
