import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problems, type ProblemCode } from '../../src/domain/problems.ts';
import { parseCsv } from '../support/requests/csv.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp, revisions, type McpClient } from '../support/requests/mcp-client.ts';
import { html, notFound, registered, status } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

/** Names by their status, whether or not their zone can be queried. */
const namesByStatus: Readonly<Record<string, string>> = {
  registered: `taken.registry bücher.registry taken-2.registry taken.test taken.shop.test
    taken.dns-only.test taken.das-only.test taken.whois-only.test taken.co.uk`,
  redemption: 'redemption.registry redemption.test redemption.das-only.test',
  pending_delete: 'pending.registry pending.test pending.shop.test',
  reserved: 'reserved.registry reserved.test',
  available: `free.registry free-2.registry free.test free.app.test free.das-only.test
    free.whois-only.test free.contradicted.test free-3.registry`,
  unknown: `html.registry refused.registry html.test down.test free.dns-only.test
    unclear.whois-only.test taken.contradicted.test free.ac.uk`,
  invalid: 'co.uk www.taken.registry www.taken.test a_b.registry taken',
  unsupported_tld: 'free.no-such-tld example.onion',
};
const names = Object.values(namesByStatus).flatMap((group) => group.split(/\s+/));

const folder = await forThisFile(scratch);
const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken|taken-2|xn--bcher-kva)\./, ({ name }) =>
  registered(name, { statuses: ['clientHold'] }),
);
registry.on(/^redemption\./, ({ name }) => registered(name, { statuses: ['redemption period'] }));
registry.on(/^pending\./, ({ name }) => registered(name, { statuses: ['pending delete'] }));
registry.on(/^reserved\./, notFound('The name is reserved.'));
registry.on(/^html\./, html(404));
registry.on(/^refused\./, status(403));

let gateway: Gateway;
let mcp: McpClient;
/** The rows of `/v1/status`, by name as sent. */
let expected: ReadonlyMap<string, Json>;

async function start(delegates: readonly string[] | undefined): Promise<void> {
  gateway = await startGateway({
    registries: { registry: registry.baseUrl, uk: registry.baseUrl },
    env: { RATE_LIMIT: '0' },
    ...(delegates && { delegates }),
  });
  mcp = await connectMcp(gateway.url, revisions[0]);
  const domains = encodeURIComponent(names.join());
  const { results } = await gateway.get(`/v1/status?domain=${domains}`);
  expected = byInput(results);
}

/** Returns the members of a row that do not depend on when and how it was requested. */
function comparable(row: Json): Json {
  const { input, domain, available, status: verdict, reason, detail, confidence, source } = row;
  return {
    input,
    domain,
    available,
    status: verdict,
    confidence,
    source,
    stale: row['stale'],
    reason: reason ?? null,
    detail: detail ?? null,
    rdap_endpoint: row['rdap_endpoint'],
    registrable_name: row['registrable_name'] ?? null,
  };
}

const byInput = (rows: readonly Json[]) =>
  new Map(rows.map((row) => [row['input'], comparable(row)]));
/** The cells of CSV are texts; those of null are empty. Its rows are in the order of their arrival. */
const cellsByInput = (rows: readonly Json[]) =>
  new Map(
    rows.map((row) => [
      row['input'],
      Object.values(comparable(row)).map((value) => String(value ?? '')),
    ]),
  );
const withoutMembers = (rows: ReadonlyMap<string, Json>, members: readonly string[]) =>
  Array.from(rows.values(), (row) =>
    Object.fromEntries(Object.entries(row).filter(([member]) => !members.includes(member))),
  );

const sendBulk = (accept: string) =>
  gateway.fetch('/v1/status/bulk', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ domains: names }),
  });

/** Returns what a row and a record have in common. */
const verdictOf = ({ domain, available, status: value, confidence, source }: Json) => [
  domain,
  available,
  value,
  confidence,
  source,
];

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
const withoutTimes = ({
  latency_ms: _latency,
  checked_at: _at,
  cached: _cached,
  ...row
}: Json): Json => row;
const fields =
  'domain tld available status confidence source rdapEndpoint stale reason registrableName problem { detail }';

/**
 * Removes host names, which the command line looks up as the names that they belong to, and labels,
 * which it looks up under popular TLDs.
 */
function withoutHosts(rows: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map([...rows].filter(([name]) => name.includes('.') && !name.startsWith('www.')));
}

describe.each([
  ['without DNS', undefined],
  ['with a DNS', ['taken', 'redemption', 'pending', 'xn--bcher-kva']],
])('%s, the rows of many names', (_mode, delegates) => {
  beforeAll(() => start(delegates));
  afterAll(async () => {
    await mcp[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  it.each(Object.entries(namesByStatus))('have the status %s: %s', (value, group) => {
    const withoutVerdict = ['unknown', 'invalid', 'unsupported_tld'];
    const available = withoutVerdict.includes(value) ? null : value === 'available';
    for (const name of group.split(/\s+/))
      expect([name, expected.get(name)]).toMatchObject([name, { status: value, available }]);
  });

  it('have each source', () => {
    const sources = new Set([...expected.values()].map(({ source }) => source));
    expect(sources).toEqual(new Set(['rdap', 'das', 'whois', 'dns', null]));
  });

  it('are the same in a bulk call, as JSON, as a stream and as CSV', async () => {
    expect(byInput((await (await sendBulk('application/json')).json()).results)).toEqual(expected);
    const lines = (await (await sendBulk('application/x-ndjson')).text()).trim().split('\n');
    expect(byInput(lines.slice(0, -1).map((line) => JSON.parse(line)))).toEqual(new Map(expected));
    const csv = parseCsv(await (await sendBulk('text/csv')).text());
    expect(cellsByInput(csv)).toEqual(cellsByInput([...expected.values()]));
  });

  it('are the same in GraphQL', async () => {
    const { data } = await gateway.graphql(
      `query ($domains: [String!]) { domains(domains: $domains) { ${fields} } }`,
      { domains: names },
    );
    const rows = data.domains.map((row: Json, index: number) => ({
      ...restRow(row),
      input: names[index],
    }));
    expect(byInput(rows)).toEqual(expected);
  });

  it('are the same for agents', async () => {
    const { structuredContent } = await mcp.call('check_domains', { names });
    const rows = (structuredContent.results as Json[]).map((row, index) => ({
      ...row,
      input: names[index],
    }));
    const unlisted = ['detail', 'rdap_endpoint'];
    expect(withoutMembers(byInput(rows), unlisted)).toEqual(withoutMembers(expected, unlisted));
  });

  it('are the same on the command line', async () => {
    const fullNames = names.filter((name) => name.includes('.'));
    const args = ['check', '--json', '--server', gateway.url, ...fullNames];
    const { stdout, stderr } = await runCommandLine(args, commandLineEnvironment(folder.path));
    expect(stderr).toBe('');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    expect(withoutHosts(byInput(rows))).toEqual(withoutHosts(expected));
  });

  it('have records with the same verdict and source in REST and for agents, or the same problem', async () => {
    for (const [name, row] of expected) {
      const body = await gateway.get(`/v1/rdap?domain=${encodeURIComponent(name)}`);
      const { structuredContent, isError, _meta } = await mcp.call('lookup_domain', { name });
      const tool = isError ? _meta?.['problem'] : structuredContent;
      if (row['available'] !== null) {
        expect([name, ...verdictOf(body)]).toEqual([name, ...verdictOf(row)]);
        expect([name, ...verdictOf(tool as Json)]).toEqual([name, ...verdictOf(row)]);
      } else {
        const code = row['reason'] as ProblemCode;
        const { status: httpStatus, retryable } = problems[code];
        expect(body).toMatchObject({ code, status: httpStatus, retryable });
        expect([name, (tool as Json)['reason'] ?? (tool as Json)['code']]).toEqual([name, code]);
      }
    }
  });

  it('agree with the status of /rdap: a 404 is never a registered name or a failure', async () => {
    for (const [name, { available, reason, source, status: verdict }] of expected) {
      const response = await gateway.fetch(`/rdap/domain/${encodeURIComponent(name)}`);
      const { errorCode, notices } = await response.json();
      const code = notices?.find(({ title }: Json) => title === 'Problem code')?.description[0];
      const isAbsent = available === true || (verdict === 'reserved' && source === 'rdap');
      const without = source === 'rdap' ? [200, undefined] : [501, 'no_rdap'];
      if (available === null)
        expect([name, response.status >= 400, code]).toEqual([name, true, reason]);
      else
        expect([name, response.status, code]).toEqual([
          name,
          ...(isAbsent ? [404, 'not_found'] : without),
        ]);
      expect(errorCode ?? 200).toBe(response.status);
    }
  });

  it('return the same rows for one label under TLDs, in request order and without duplicates', async () => {
    const tlds = ['registry', '.CO.UK', 'co.uk', 'no-such-tld', '*', 'test'];
    const { data } = await gateway.graphql(
      `query ($tlds: [String!]) { domains(name: "Taken", tlds: $tlds) { ${fields} } }`,
      { tlds },
    );
    const { name, results } = await gateway.get(`/v1/status?name=Taken&tlds=${tlds.join()}`);
    expect(name).toBe('taken');
    expect(results.map(withoutTimes)).toEqual(data.domains.map(restRow));
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
      expect(withoutTimes(body)).toEqual({ ...restRow(row), problem });
      expect([rdap, registration, raw, nameservers, input]).toEqual([null, null, null, [], domain]);
      expect(problem.code).toBe('no_rdap');
    },
  );

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
    expect(errors[0].extensions.code).toEqual(code);
    expect(response.status).toBe(400);
    expect((await response.json()).code).toEqual(code);
  });
});
