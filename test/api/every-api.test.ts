import { describe, expect, it } from 'vitest';
import { parseCsv } from '../support/requests/csv.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp, revisions } from '../support/requests/mcp-client.ts';
import { html, notFound, registered, status } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const atRegistry = 'taken redemption pending reserved free html refused free-2 bücher taken-2';
const inSandbox =
  'taken free reserved redemption pending html down pending.shop taken.shop free.app taken.dns-only free.dns-only taken.das-only free.das-only redemption.das-only taken.whois-only free.whois-only unclear.whois-only taken.contradicted free.contradicted';
const others =
  'taken.co.uk free.ac.uk co.uk free-3.registry www.taken.registry www.taken.test a_b.registry taken free.no-such-tld example.onion';
const names = [
  ...atRegistry.split(' ').map((label) => `${label}.registry`),
  ...inSandbox.split(' ').map((label) => `${label}.test`),
  ...others.split(' '),
];

const folder = await forThisFile(scratch);
const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken|taken-2|xn--bcher-kva)\./, ({ name }) => registered(name));
registry.on(/^redemption\./, ({ name }) => registered(name, { statuses: ['redemption period'] }));
registry.on(/^pending\./, ({ name }) => registered(name, { statuses: ['pending delete'] }));
registry.on(/^reserved\./, notFound('The name is reserved.'));
registry.on(/^html\./, html(404));
registry.on(/^refused\./, status(403));
const gateway = await forThisFile(startGateway, {
  registries: { registry: registry.baseUrl, uk: registry.baseUrl },
  env: { RATE_LIMIT: '0' },
});
const mcp = await forThisFile(connectMcp, gateway.url, revisions[0]);
const { results } = await gateway.get(`/v1/status?domain=${encodeURIComponent(names.join())}`);
/** The rows of `/v1/status`, by name as sent. */
const expected = new Map<string, Json>(results.map((row: Json) => [row['input'], comparable(row)]));

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

describe(`the rows of ${names.length} names`, () => {
  it('have each verdict and each source', () => {
    const rows = [...expected.values()];
    expect(expected.size).toBe(40);
    expect(new Set(rows.map(({ status: verdict }) => verdict))).toEqual(
      new Set(
        'available registered reserved redemption pending_delete unknown invalid unsupported_tld'.split(
          ' ',
        ),
      ),
    );
    expect(new Set(rows.map(({ source }) => source))).toEqual(
      new Set(['rdap', 'das', 'whois', 'dns', null]),
    );
    const withoutVerdict = ['unknown', 'invalid', 'unsupported_tld'];
    for (const { available, status: verdict } of rows)
      expect(available).toBe(withoutVerdict.includes(verdict) ? null : verdict === 'available');
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
      `query ($domains: [String!]) { domains(domains: $domains) {
        domain available status confidence source stale reason problem { detail }
        rdap_endpoint: rdapEndpoint registrable_name: registrableName
      } }`,
      { domains: names },
    );
    const rows = data.domains.map((row: Json, index: number) => ({
      ...row,
      input: names[index],
      status: row.status.toLowerCase(),
      confidence: row.confidence?.toLowerCase() ?? null,
      detail: row.problem?.detail,
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
});

/**
 * Removes host names, which the command line looks up as the names that they belong to, and labels,
 * which it looks up under popular TLDs.
 */
function withoutHosts(rows: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map([...rows].filter(([name]) => name.includes('.') && !name.startsWith('www.')));
}

describe('the record of each name', () => {
  it('has the same verdict and source in REST and for agents, or the same problem', async () => {
    for (const [name, row] of expected) {
      const body = await gateway.get(`/v1/rdap?domain=${encodeURIComponent(name)}`);
      const { structuredContent, isError, _meta } = await mcp.call('lookup_domain', { name });
      const tool = isError ? _meta?.['problem'] : structuredContent;
      if (row['available'] !== null) {
        expect([name, ...verdictOf(body)]).toEqual([name, ...verdictOf(row)]);
        expect([name, ...verdictOf(tool as Json)]).toEqual([name, ...verdictOf(row)]);
      } else {
        expect([name, body['code']]).toEqual([name, row['reason']]);
        expect([name, (tool as Json)['reason'] ?? (tool as Json)['code']]).toEqual([
          name,
          row['reason'],
        ]);
      }
    }
  });

  it('agrees with the status of /rdap: a 404 is never a registered name or a failure', async () => {
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
});
