import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { html, notFound, registered, status } from '../support/bodies/replies.ts';

let registry: FakeRegistry;
/** A separate host: after a 429, the gateway queries a host for no other name either. */
let busy: FakeRegistry;
let gateway: Gateway;

async function start(delegates: readonly string[] | undefined): Promise<void> {
  [registry, busy] = await Promise.all([startFakeRegistry(), startFakeRegistry()]);
  busy.fallback(status(429, { 'retry-after': '60' }));
  registry.on(/^(?:nic|taken|xn--bcher-kva)\./, ({ name }) =>
    registered(name, { statuses: ['clientHold'] }),
  );
  registry.on(/^redemption\./, ({ name }) => registered(name, { statuses: ['redemption period'] }));
  registry.on(/^pending\./, ({ name }) => registered(name, { statuses: ['pending delete'] }));
  registry.on(/^reserved\./, notFound('The name is reserved.'));
  registry.on(/^html\./, html(404));
  registry.on(/^refused\./, status(403));
  gateway = await startGateway({
    registries: { registry: registry.baseUrl, uk: registry.baseUrl, busy: busy.baseUrl },
    ...(delegates && { delegates }),
  });
}

const labels = 'taken redemption pending reserved free html refused bücher'.split(' ');
const others = [
  'taken.co.uk',
  'free.ac.uk',
  'www.taken.registry',
  'co.uk',
  'a_b.registry',
  'taken',
  'free.no-such-tld',
  'taken.test',
  'taken.dns-only.test',
  'free.dns-only.test',
  'taken.das-only.test',
  'free.das-only.test',
  'redemption.das-only.test',
  'taken.whois-only.test',
  'free.whois-only.test',
  'unclear.whois-only.test',
  'taken.contradicted.test',
  'free.contradicted.test',
];
const domains = [...labels.map((label) => `${label}.registry`), ...others];

/** Converts a GraphQL row to the format of REST. */
function restRow(graphqlRow: Json): Json {
  const {
    reason,
    problem,
    status: value,
    confidence,
    rdapEndpoint,
    registrableName,
    ...row
  } = graphqlRow;
  const enums = { status: value.toLowerCase(), confidence: confidence?.toLowerCase() ?? null };
  return {
    ...row,
    ...enums,
    rdap_endpoint: rdapEndpoint,
    ...(reason !== null && { reason, ...problem }),
    ...(registrableName && { registrable_name: registrableName }),
  };
}

/** Removes the members that differ between requests. */
const comparable = ({
  latency_ms: _latency,
  checked_at: _at,
  cached: _cached,
  ...row
}: Json): Json => row;
const fields =
  'domain tld available status confidence source rdapEndpoint stale reason registrableName problem { detail }';

describe.each([
  ['without DNS', undefined],
  ['with a DNS', ['taken', 'redemption', 'pending', 'xn--bcher-kva']],
])('GraphQL and REST, %s,', (_mode, delegates) => {
  beforeAll(() => start(delegates));
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await Promise.all([registry.close(), busy.close()]);
  });

  it('return the same rows for full names', async () => {
    const { data } = await gateway.graphql(
      `query ($domains: [String!]) { domains(domains: $domains) { ${fields} } }`,
      { domains },
    );
    const rest = await gateway.get(`/v1/status?domain=${encodeURIComponent(domains.join())}`);
    const bulk = await (await gateway.post('/v1/status/bulk', { domains })).json();
    const expected = data.domains.map(restRow);
    expect(rest.results.map(comparable)).toEqual(
      expected.map((row: Json, index: number) => ({ input: domains[index], ...row })),
    );
    expect(bulk.results.map(comparable)).toEqual(
      expected.map((row: Json, index: number) => ({ index, input: domains[index], ...row })),
    );
    expect(expected.map((row: Json) => row.status)).toEqual(
      'registered redemption pending_delete reserved available unknown unknown registered registered unknown'
        .split(' ')
        .concat('invalid invalid invalid invalid unsupported_tld registered'.split(' '))
        .concat(
          'registered unknown registered available redemption registered available unknown'.split(
            ' ',
          ),
        )
        .concat('unknown available'.split(' ')),
    );
    expect(expected.slice(-10).map((row: Json) => row.source)).toEqual(
      'dns dns das das das whois whois whois rdap rdap'.split(' '),
    );
  });

  it('return the same rows for one label under TLDs, in request order and without duplicates', async () => {
    const tlds = ['registry', '.CO.UK', 'co.uk', 'no-such-tld', '*', 'test'];
    const { data } = await gateway.graphql(
      `query ($tlds: [String!]) { domains(name: "Taken", tlds: $tlds) { ${fields} } }`,
      { tlds },
    );
    const { name, results } = await gateway.get(`/v1/status?name=Taken&tlds=${tlds.join()}`);
    expect(name).toBe('taken');
    expect(results.map(comparable)).toEqual(data.domains.map(restRow));
    expect(results.length).toBe(5);
  });

  it('return the same record', async () => {
    const { data } = await gateway.graphql(`{ domain(name: "taken.registry", maxAge: 2592000) {
      checkedAt cached rdap { handle statuses nameservers createdAt updatedAt expiresAt registrar { name ianaId abuseEmail } dnssec { signed } raw }
    } }`);
    const { rdap, ...row } = data.domain;
    const body = await gateway.get('/v1/rdap?domain=taken.registry&max_age=2592000');
    expect(body).toMatchObject({
      checked_at: row.checkedAt,
      cached: row.cached,
      rdap: rdap.raw,
      nameservers: rdap.nameservers,
    });
    expect(body.registration).toMatchObject({
      handle: rdap.handle,
      statuses: rdap.statuses,
      created_at: rdap.createdAt,
      updated_at: rdap.updatedAt,
      expires_at: rdap.expiresAt,
      registrar: {
        name: rdap.registrar.name,
        iana_id: rdap.registrar.ianaId,
        abuse_email: rdap.registrar.abuseEmail,
      },
      dnssec: { signed: rdap.dnssec.signed },
    });
    expect(rdap).toMatchObject({
      handle: 'FAKE-taken.registry',
      statuses: ['client hold'],
      registrar: { ianaId: '9999' },
    });
  });

  it.each(['taken.dns-only.test', 'taken.das-only.test', 'free.das-only.test'])(
    'return the same verdict without a record for %s',
    async (domain) => {
      const { data } = await gateway.graphql(
        `{ domain(name: "${domain}") { ${fields} problem { code detail } rdap { handle } } }`,
      );
      const { problem, rdap, tld: _tld, ...row } = data.domain;
      const {
        input,
        nameservers,
        registration,
        rdap: raw,
        ...body
      } = await gateway.get(`/v1/rdap?domain=${domain}`);
      expect(comparable(body)).toEqual({ ...restRow(row), problem });
      expect([rdap, registration, raw, nameservers, input]).toEqual([null, null, null, [], domain]);
      expect(problem.code).toBe('no_rdap');
    },
  );

  it.each([
    ['free.dns-only.test', 'not_delegated', 502],
    ['taken.contradicted.test', 'contradicted', 502],
    ['html.registry', 'untrusted_answer', 502],
    ['refused.registry', 'registry_error', 502],
    ['free.busy', 'registry_busy', 503],
    ['www.taken.registry', 'invalid_name', 400],
    ['a_b.registry', 'invalid_name', 400],
    ['free.no-such-tld', 'unsupported_tld', 400],
  ])('report the same problem with the record of %s: %s', async (domain, code, httpStatus) => {
    const { data } = await gateway.graphql(
      `{ domains(domains: ["${domain}"]) { reason problem { code retryable } rdap { handle } } }`,
    );
    const response = await gateway.fetch(`/v1/rdap?domain=${domain}`);
    const problem = await response.json();
    expect([response.status, problem.code]).toEqual([httpStatus, code]);
    expect(data.domains).toEqual([
      { reason: code, problem: { code, retryable: problem.retryable }, rdap: null },
    ]);
  });

  it.each([
    ['name: "a_b", tlds: ["registry"]', 'name=a_b&tlds=registry', 'invalid_name'],
    ['name: "www.taken", tlds: ["registry"]', 'name=www.taken&tlds=registry', 'invalid_name'],
    [
      'name: "a", tlds: ["registry"], domains: ["a.registry"]',
      'name=a&tlds=registry&domain=a.registry',
      'invalid_parameter',
    ],
    ['name: "", tlds: ["registry"]', 'name=&tlds=registry', 'missing_parameter'],
    ['name: "a", tlds: []', 'name=a&tlds=', 'missing_parameter'],
    ['domains: ["a.registry"], maxAge: -1', 'domain=a.registry&max_age=-1', 'invalid_max_age'],
  ])('reject the same requests: %s', async (args, query, code) => {
    const { errors } = await gateway.graphql(`{ domains(${args}) { available } }`);
    const response = await gateway.fetch(`/v1/status?${query}`);
    expect([errors[0].extensions.code, response.status, (await response.json()).code]).toEqual([
      code,
      400,
      code,
    ]);
  });
});
