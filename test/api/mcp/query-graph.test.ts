import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { guideText } from '../../support/checks/guides.ts';
import { connectMcp, type McpClient, type ToolResult } from '../../support/requests/mcp-client.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { json, registered } from '../../support/bodies/replies.ts';

const listOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `"d${index}.example"`).join();
const statusesOf = (count: number) => `{ domains(domains: [${listOf(count)}]) { status } }`;
const three = (row: Json) => [row, row, row];
const ten = Array.from({ length: 10 }, (_, index) => `"taken-${index}.test"`).join();
const textOf = ({ content }: ToolResult) => (content[0]?.type === 'text' ? content[0].text : '');
const problemOf = ({ isError, _meta }: ToolResult) => isError && (_meta?.['problem'] as Json);

describe('an agent', () => {
  let mcp: McpClient;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    gateway = await startGateway({ env: { RATE_LIMIT: '0' } });
    mcp = await connectMcp(gateway.url);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** A search of the schema, a field that it finds, and a query of that field with its answer. */
  interface Task {
    readonly words: string;
    readonly path: string;
    readonly query: string;
    readonly answer: unknown;
  }

  /** Tasks by the question, which the fixed tools cannot answer. */
  const tasks: Readonly<Record<string, Task>> = {
    'Which registrars have taken.test, taken-2.test and taken-3.test?': {
      words: 'registrar of a domain',
      path: 'domain.registration.registrar',
      query:
        '{ domains(domains: ["taken.test", "taken-2.test", "taken-3.test"]) { registration { registrar { name } } } }',
      answer: { domains: three({ registration: { registrar: { name: expect.any(String) } } }) },
    },
    'Which of ten names expires first?': {
      words: 'expiry date of a registration',
      path: 'domain.registration.expiresAt',
      query: `{ domains(domains: [${ten}]) { domain registration { expiresAt } } }`,
      answer: {
        domains: Array.from({ length: 10 }, () => ({
          domain: expect.any(String),
          registration: { expiresAt: expect.stringMatching(/^2/) },
        })),
      },
    },
    'Who runs the networks that host taken.test, taken-2.test and taken-3.test?': {
      words: 'addresses of the site and their network',
      path: 'domain.dns.addresses',
      query:
        '{ domains(domains: ["taken.test", "taken-2.test", "taken-3.test"]) { dns { addresses { network { name } } } } }',
      answer: {
        domains: three({
          dns: { addresses: expect.arrayContaining([{ network: { name: expect.any(String) } }]) },
        }),
      },
    },
    'Where do I report abuse of taken.test and taken-2.test?': {
      words: 'abuse contact email',
      path: 'domain.abuseContacts.email',
      query: '{ domains(domains: ["taken.test", "taken-2.test"]) { abuseContacts { email } } }',
      answer: {
        domains: [1, 2].map(() => ({
          abuseContacts: expect.arrayContaining([{ email: expect.any(String) }]),
        })),
      },
    },
    'Which software does the site of taken.test use?': {
      words: 'technologies of a site',
      path: 'site.technologies',
      query: '{ site(host: "taken.test") { technologies { technologies { name } } } }',
      answer: { site: { technologies: { technologies: expect.any(Array) } } },
    },
    'Is taken.test offered for sale?': {
      words: 'name for sale',
      path: 'domain.forSale',
      query: '{ domain(name: "taken.test") { forSale { forSale } } }',
      answer: { domain: { forSale: { forSale: expect.any(Boolean) } } },
    },
    'Does the registry of .com publish when names expire, and which scripts does it allow?': {
      words: 'which facts a registry publishes, scripts',
      path: 'tlds.nodes.publishes',
      query: '{ tlds(search: "com", first: 1) { nodes { scripts publishes { expires } } } }',
      answer: { tlds: { nodes: [{ scripts: expect.anything(), publishes: { expires: true } }] } },
    },
    'What did the registry say about idea.test, and which sources were asked?': {
      words: 'evidence of the verdict, sources asked',
      path: 'domain.evidence',
      query: '{ domain(name: "idea.test") { available evidence { sources { source } } } }',
      answer: { domain: { available: true, evidence: { sources: expect.any(Array) } } },
    },
    'What is the site of taken.test about?': {
      words: 'categories of a site',
      path: 'site.categories',
      query: '{ site(host: "taken.test") { categories { categories { category } } } }',
      answer: { site: { categories: { categories: expect.any(Array) } } },
    },
    'Which names were found in certificates of taken.test?': {
      words: 'subdomains in certificates',
      path: 'domain.subdomains',
      query: '{ domain(name: "taken.test") { subdomains { subdomains { name } } } }',
      answer: { domain: { subdomains: { subdomains: expect.any(Array) } } },
    },
  };

  it('has these tasks in the guide', () => {
    const [, section = ''] = guideText('mcp').split('## Queries of the graph');
    for (const [question, { words, query }] of Object.entries(tasks))
      for (const text of [question, words, query.replace(ten, '"taken-0.test", …')])
        expect(section).toContain(text);
  });

  it.each(Object.entries(tasks))(
    'answers "%s"',
    async (_question, { words, path, query, answer }) => {
      const found = await mcp.call('search_schema', { query: words });
      expect(found.structuredContent?.fields.map((field: Json) => field.path)).toContain(path);
      const result = await mcp.call('query_graph', { query, max_credits: 0 });
      expect(result.structuredContent).toEqual({ data: answer });
      expect(JSON.parse(textOf(result).split('\n')[0] ?? '')).toEqual(
        result.structuredContent?.data,
      );
      expect(JSON.stringify(found).length).toBeLessThan(8000);
      expect(JSON.stringify(result).length).toBeLessThan(4000);
    },
  );

  /** Arguments by code and `param` of their problem. */
  const invalid: Readonly<Record<string, { readonly args: Json; readonly detail: RegExp }>> = {
    'missing_parameter query: no query': { args: {}, detail: /missing/ },
    'missing_parameter query: an empty query': { args: { query: '' }, detail: /missing/ },
    'invalid_query query: a broken query': { args: { query: '{' }, detail: /Syntax Error.*line 1/ },
    'invalid_query query: an unknown field': { args: { query: '{ whois }' }, detail: /whois/ },
    'invalid_query query: a mutation': {
      args: { query: 'mutation { unwatch(domains: ["a.test"]) { domain } }' },
      detail: /./,
    },
    'invalid_query query: a subscription': {
      args: { query: 'subscription { availability(domains: ["a.test"]) { domain } }' },
      detail: /only reads/,
    },
    'invalid_query query: two operations': {
      args: { query: 'query a { account { name } } query b { account { name } }' },
      detail: /./,
    },
    'invalid_query variables: a wrong variable': {
      args: { query: 'query ($n: String!) { domain(name: $n) { status } }', variables: { n: 1 } },
      detail: /\$n/,
    },
    'invalid_parameter variables: variables that are no object': {
      args: { query: '{ account { name } }', variables: [] },
      detail: /an object/,
    },
    'invalid_parameter max_credits: a negative budget': {
      args: { query: '{ account { name } }', max_credits: -1 },
      detail: /whole number/,
    },
    'invalid_parameter limit: another argument': {
      args: { query: '{ account { name } }', limit: 1 },
      detail: /not an argument/,
    },
    'query_too_large query: a deep query': {
      args: { query: '{ domain(name: "a.test") ' + '{ x '.repeat(13) + '}'.repeat(13) + '}' },
      detail: /levels/,
    },
    'too_many_lookups: too many names': {
      args: { query: `{ domains(domains: [${listOf(501)}]) { domain } }`, max_credits: 1000 },
      detail: /names/,
    },
  };

  it.each(Object.entries(invalid))('gets a clear problem: %s', async (title, { args, detail }) => {
    const [code, param] = title.split(': ')[0]?.split(' ') ?? [];
    const problem = problemOf(await mcp.call('query_graph', args));
    expect(problem).toMatchObject({ code, detail: expect.stringMatching(detail) });
    expect(problem && problem.param).toBe(param);
  });

  it('gets the errors of fields beside the data', async () => {
    const query = '{ bad: domain(name: "a b") { status } good: domain(name: "a.test") { status } }';
    const { structuredContent, isError } = await mcp.call('query_graph', { query });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({
      data: { bad: null, good: { status: 'AVAILABLE' } },
      errors: [{ code: 'invalid_name', path: 'bad' }],
    });
  });

  it('gets a note of what was left out of a long answer', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `"taken-${index}.test"`).join();
    const query = `{ domains(domains: [${names}]) { domain registration { raw } } }`;
    const result = await mcp.call('query_graph', { query });
    const { data, omitted } = result.structuredContent ?? {};
    expect(omitted[0]).toMatch(/^domains: \d+ of 100 entries$/);
    expect(data.domains.length).toBeGreaterThanOrEqual(5);
    expect(textOf(result)).toContain(`Left out: ${omitted[0]}`);
    expect(JSON.stringify(result).length).toBeLessThan(60_000);
  });

  it('may keep the list of tools', async () => {
    const listed = await mcp.client.listTools();
    expect(listed).toMatchObject({ ttlMs: expect.any(Number), cacheScope: 'public' });
    expect(Number(listed['ttlMs'])).toBeGreaterThan(0);
  });
});

it.each(['on', 'off'])('has a schema to search with INTROSPECTION=%s', async (setting) => {
  await using gateway = await startGateway({ env: { INTROSPECTION: setting } });
  await using mcp = await connectMcp(gateway.url);
  const { tools } = await mcp.client.listTools();
  expect(tools.some(({ name }) => name === 'search_schema')).toBe(setting === 'on');
  const query = '{ __schema { queryType { name } } domain(name: "a.test") { stats } }';
  const { detail } = problemOf(await mcp.call('query_graph', { query })) || { detail: '' };
  expect(/Did you mean/.test(detail)).toBe(setting === 'on');
});

describe('the budget of a query', async () => {
  const metered = await forThisFile(startMeteredGateway, {});
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  let customer: Customer;
  let mcp: McpClient;
  beforeAll(async () => {
    customer = await metered.newCustomer({ credits: 1000 });
    mcp = await connectMcp(metered.gateway.url, '2026-07-28', { 'x-api-key': customer.key });
  });

  it.each<[query: string, price: number]>([
    ['{ domain(name: "NAME.example") { status } }', 1],
    ['{ domain(name: "taken-NAME.example") { registration { handle } } }', 2],
    ['{ domains(domains: ["NAME1.example", "NAME2.example", "NAME3.example"]) { status } }', 3],
    [
      '{ a: domain(name: "NAME.example") { status } b: domain(name: "NAME.example") { status } }',
      1,
    ],
    ['{ ...f } fragment f on Query { domain(name: "NAME.example") { ... @defer { status } } }', 1],
    ['{ domain(name: "NAME.test") { registration { handle } } }', 0],
    ['{ ip(address: "192.0.2.1") { handle } }', 0],
    ['{ account { name } tlds(first: 1) { totalCount } __schema { queryType { name } } }', 0],
  ])('refuses %s below its price, %i, and runs it within it', async (text, price) => {
    const query = text.replaceAll('NAME', `n${Math.random().toString(36).slice(2)}`);
    const used = (await customer.balance()).used;
    const sent = metered.registry.requests.length;
    if (price > 0) {
      const refused = await mcp.call('query_graph', { query, max_credits: price - 1 });
      expect(problemOf(refused)).toMatchObject({
        code: 'insufficient_credits',
        param: 'max_credits',
        detail: expect.stringMatching(new RegExp(`\\b${price}\\b.*\\b${price - 1}\\b`)),
      });
      expect(metered.registry.requests.length).toEqual(sent);
      expect((await customer.balance()).used).toEqual(used);
    }
    const { structuredContent, isError, content } = await mcp.call('query_graph', {
      query,
      max_credits: price,
    });
    expect([isError, structuredContent?.credits], JSON.stringify(content)).toMatchObject([
      undefined,
      { charged: price },
    ]);
    expect((await customer.balance()).used).toBe(used + price);
  });

  it('is ten credits by default', async () => {
    expect(problemOf(await mcp.call('query_graph', { query: statusesOf(19) }))).toMatchObject({
      detail: expect.stringContaining('11 credits, but max_credits is 10'),
    });
    expect(problemOf(await mcp.call('query_graph', { query: statusesOf(18) }))).toBeUndefined();
  });

  it('also holds for objects that are found while the query runs', async () => {
    await using objects = await startFakeRegistry();
    const entities = [{ objectClassName: 'entity', handle: 'E1' }];
    const network = { objectClassName: 'ip network', startAddress: '8.0.0.0', entities };
    objects.on(/^ip\//, () => json(200, { ...network, endAddress: '8.255.255.255' }));
    objects.on(/^entity\//, () => json(200, { objectClassName: 'entity', handle: 'E1' }));
    await using paid = await startMeteredGateway({
      objects: { ipv4: { '8.0.0.0/8': objects.baseUrl } },
    });
    const { key } = await paid.newCustomer({ credits: 1000 });
    await using agent = await connectMcp(paid.gateway.url, '2026-07-28', { 'x-api-key': key });
    const query =
      '{ ip(address: "8.8.8.8") { found entities { entity { found problem { code } } } } }';
    const charged = async (max_credits: number) =>
      (await agent.call('query_graph', { query, max_credits })).structuredContent;
    const refused = { entity: { found: null, problem: { code: 'insufficient_credits' } } };
    expect(await charged(3)).toMatchObject({
      data: { ip: { found: true, entities: [refused] } },
      credits: { charged: 2 },
    });
    expect(JSON.stringify(objects.requests)).not.toContain('entity');
    expect(await charged(4)).toMatchObject({
      data: { ip: { entities: [{ entity: { found: true } }] } },
      credits: { charged: 4 },
    });
  });

  it('also holds for callers without a key', async () => {
    const args = { query: '{ domain(name: "idea.com") { status } }', max_credits: 0 };
    await using open = await startGateway({ registries: { com: metered.registry.baseUrl } });
    await using anonymous = await connectMcp(open.url);
    expect(problemOf(await anonymous.call('query_graph', args))).toMatchObject({
      code: 'insufficient_credits',
    });
  });
});

it('refuses a giant answer after little more work than rendering it', async () => {
  await using registry = await startFakeRegistry();
  const members = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`m${index}`, 1]));
  registry.fallback(({ name }) => json(200, { ...domainObject(name), members }));
  await using gateway = await startGateway({ registries: { example: registry.baseUrl } });
  await using mcp = await connectMcp(gateway.url);
  const records = Array.from({ length: 40 }, (_, index) => `r${index}: rdap { raw }`).join(' ');
  const query = `{ domains(domains: [${listOf(10)}]) { ${records} } }`;

  const before = process.cpuUsage();
  const answer = await mcp.call('query_graph', { query, max_credits: 100 });
  const { user, system } = process.cpuUsage(before);

  expect(problemOf(answer)).toMatchObject({ code: 'query_too_large' });
  expect((user + system) / 1e6).toBeLessThan(4);
}, 60_000);
