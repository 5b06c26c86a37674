import { describe, expect, it } from 'vitest';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { scratch } from '../support/stores/scratch.ts';
import { connectMcp, revisions } from '../support/requests/mcp-client.ts';

const folder = await forThisFile(scratch);
const gateway = await forThisFile(startGateway, { registries: { uk: 'https://rdap.invalid/' } });
const mcp = await forThisFile(connectMcp, gateway.url, revisions[0]);

const runCommand = (args: readonly string[]) =>
  runCommandLine(args, commandLineEnvironment(folder.path));

const namesIn = (rows: readonly Json[]) => rows.map((row) => row['registrable_name']);

const domainRows = async (domains: readonly string[]) => {
  const query =
    'query ($domains: [String!]!) { domains(domains: $domains) { status problem { code } registrableName } }';
  const { data } = await gateway.graphql(query, { domains });
  return data.domains.map(({ status, problem, registrableName }: Json) => [
    status,
    problem?.code ?? null,
    registrableName,
  ]);
};

describe('the registrable name of an entry', () => {
  it.each([
    ['www.example.co.uk', 'example.co.uk'],
    ['https://www.example.co.uk/path?q=1#top', 'example.co.uk'],
    ['HTTPS://user:pass@WWW.Example.CO.UK:8443', 'example.co.uk'],
    ['example.co.uk/path', 'example.co.uk'],
    ['example.co.uk:443', 'example.co.uk'],
    ['http://taken.test', 'taken.test'],
    ['a.b.c.taken.shop.test', 'taken.shop.test'],
    ['www.bücher.test.', 'xn--bcher-kva.test'],
    ['_dmarc.taken.test', 'taken.test'],
    ['*.taken.test', 'taken.test'],
    ['r2---sn-shop.taken.test', 'taken.test'],
  ])('%s is %s', async (entry, name) => {
    expect(await domainRows([entry])).toEqual([['INVALID', 'invalid_name', name]]);
  });

  it.each([
    'someone@example.co.uk',
    'not a name.example.co.uk',
    'co.uk',
    'a_b.test',
    'https://a_b.test/',
    'https://192.0.2.1/',
    'https://[2001:db8::1]/',
    'taken',
    'https://',
    `${'a.'.repeat(300)}test`,
  ])('%s has none', async (entry) => {
    expect(await domainRows([entry])).toEqual([['INVALID', 'invalid_name', null]]);
  });

  it('is null for a name, and for a host name under what is not a TLD', async () => {
    expect(await domainRows(['taken.test', 'www.example.no-such-tld'])).toEqual([
      ['REGISTERED', null, null],
      ['UNSUPPORTED_TLD', 'unsupported_tld', null],
    ]);
  });

  it.each([
    ['www.example.co.uk', 'example.co.uk'],
    ['a.b.taken.shop.test', 'taken.shop.test'],
  ])('is in the problem of %s where there are no rows', async (host, name) => {
    const detail = `${host} is not a single label under a public suffix. Look up ${name} instead.`;
    expect(await gateway.get(`/v1/rdap?domain=${host}`)).toMatchObject({
      code: 'invalid_name',
      detail,
    });
    const { errors } = await gateway.graphql(`{ domain(name: "${host}") { status } }`);
    expect(errors[0].message).toBe(detail);
  });

  it('is the same in every API that answers with rows', async () => {
    const entries = ['https://www.taken.test/', 'www.taken.shop.test', 'taken.test', 'a_b'];
    const names = ['taken.test', 'taken.shop.test', undefined, undefined];
    const status = await gateway.get(`/v1/status?domain=${encodeURIComponent(entries.join(','))}`);
    expect(namesIn(status.results)).toEqual(names);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ domains: entries });
    const bulk = await (await gateway.fetch('/v1/status/bulk', { ...init, body })).json();
    expect(namesIn(bulk.results)).toEqual(names);
    const { structuredContent } = await mcp.call('check_domains', { names: entries });
    expect(namesIn(structuredContent.results as Json[])).toEqual(names);
    const { stdout } = await runCommand(['check', '--json', '--server', gateway.url, ...entries]);
    const rows = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((row) => [row.input, row.registrable_name]),
    );
    expect(entries.map((entry) => rows.get(entry))).toEqual(names);
  });
});

describe.each([
  '@no-such-set',
  '@No-Such-Set',
  '@',
  ' @popular.com ',
  '@constructor',
  '@test,@nope',
])('the set %s, which does not exist', (entry) => {
  const set = JSON.stringify(entry.split(',').at(-1)?.trim());
  const tlds = entry.split(',');
  const detail = expect.stringContaining(`${set} is not a set of TLDs. The sets are @popular, @`);

  it('is an error in GraphQL', async () => {
    const query = 'query ($tlds: [String!]!) { domains(name: "taken", tlds: $tlds) { status } }';
    const { data, errors } = await gateway.graphql(query, { tlds });
    expect(data).toMatchObject({ domains: null });
    expect(errors).toMatchObject([
      { message: detail, extensions: { code: 'invalid_parameter', param: 'tlds' } },
    ]);
  });

  it('is a 400 in REST', async () => {
    const path = `/v1/status?name=taken&tlds=${encodeURIComponent(entry)}`;
    const problem = { status: 400, code: 'invalid_parameter', param: 'tlds', detail };
    expect(await gateway.get(path)).toMatchObject(problem);
    const bulk = await gateway.fetch('/v1/status/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ names: ['taken'], tlds }),
    });
    expect(await bulk.json()).toMatchObject(problem);
  });

  it('is an error of the MCP tool', async () => {
    const { isError, _meta } = await mcp.call('check_domains', { label: 'taken', tlds });
    expect(isError).toBe(true);
    expect(_meta?.['problem']).toMatchObject({ code: 'invalid_parameter', param: 'tlds', detail });
  });

  it('is invalid usage of the command', async () => {
    const { code, stderr } = await runCommand(['check', 'taken', '--tlds', entry]);
    expect([code, stderr]).toEqual([64, detail]);
  });
});
