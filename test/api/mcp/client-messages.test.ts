import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { connectMcp } from '../../support/requests/mcp-client.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });

const id = 'a-7';
const request = (method: unknown, params?: unknown) => ({ jsonrpc: '2.0', id, method, params });
const call = (params: unknown) => request('tools/call', params);

async function send(body: unknown) {
  const response = await gateway.fetch('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, message: text === '' ? null : (JSON.parse(text) as Json) };
}

describe('a rejected message is an error of JSON-RPC with the id of the request', () => {
  it.each<[body: unknown, code: number, status: number, of?: unknown]>([
    [request('tools/list', 7), -32602, 200],
    [request('tools/list', { cursor: 7 }), -32602, 200],
    [call(undefined), -32602, 200],
    [call(null), -32602, 200],
    [call(['x']), -32602, 200],
    [call({ name: 7 }), -32602, 200],
    [call({ arguments: {} }), -32602, 200],
    [call({ name: 'no_such_tool', arguments: {} }), -32602, 200],
    [call({ name: 'account', arguments: [] }), -32602, 200],
    [request('initialize', null), -32602, 200],
    [request('initialize', { protocolVersion: 5 }), -32602, 200],
    [request('no/such/method', {}), -32601, 200],
    [request('ping', 'x'), -32600, 200],
    [request(5, {}), -32600, 200],
    [{ ...request('ping', {}), jsonrpc: '1.0' }, -32600, 200],
    [{ jsonrpc: '2.0', id }, -32600, 200],
    [{ ...request('ping', {}), id: {} }, -32600, 400, null],
    [{}, -32600, 400, null],
    [[request('ping', {})], -32600, 400, null],
    ['{', -32700, 400, null],
    ['', -32700, 400, null],
    ['"x"', -32600, 400, null],
  ])('%j', async (body, code, status, of = id) => {
    expect(await send(body)).toEqual({
      status,
      message: {
        jsonrpc: '2.0',
        id: of,
        error: expect.objectContaining({ code, message: expect.any(String) }),
      },
    });
  });

  it.each([
    ['{', 'body is'],
    [7, 'body must be a message'],
    [{ ...request('ping', {}), jsonrpc: '1.0' }, 'body must be a message'],
    [call({}), 'params.name is missing.'],
    [request('events/poll', {}), 'params.name is missing.'],
  ])('with the members of a problem: %j', async (body, detail) => {
    const { message } = await send(body);
    expect(message.error).toMatchObject({
      message: expect.stringMatching(new RegExp(detail, 'i')),
      data: { code: expect.any(String), retryable: false, param: expect.any(String) },
    });
  });
});

describe('null is the same as absent', () => {
  const client = { name: 'x', version: '1', title: null };
  const initialize = { protocolVersion: '2025-06-18', capabilities: { roots: null } };
  it.each([
    [request('tools/list', null)],
    [request('tools/list', { cursor: null, _meta: null })],
    [request('tools/list', { _meta: { progressToken: null } })],
    [request('ping', null)],
    [request('initialize', { ...initialize, clientInfo: client })],
    [call({ name: 'account', arguments: null })],
  ])('in the message %j', async (body) => {
    expect(await send(body)).toMatchObject({ status: 200, message: { id, result: {} } });
  });

  it('in each optional argument of each tool', async () => {
    await using mcp = await connectMcp(gateway.url);
    const { tools } = await mcp.client.listTools();
    const given: Json = {
      check_domains: { names: ['taken.test'] },
      lookup_domain: { name: 'taken.test' },
      lookup_object: { object: '192.0.2.53' },
      inspect_site: { site: 'taken.test', parts: ['robots'] },
      create_receipt: { domain: 'taken.test' },
      search_schema: { query: 'registrar' },
      query_graph: { query: '{ account { name } }' },
    };
    for (const { name, inputSchema } of tools) {
      const nulls = Object.keys(inputSchema.properties ?? {}).map((key) => [key, null]);
      const args = { ...Object.fromEntries(nulls), ...given[name] };
      // Without a store, there are no keys that sign.
      const isError = name === 'create_receipt';
      expect([name, (await mcp.call(name, args)).isError ?? false]).toEqual([name, isError]);
      const unknown = await mcp.call(name, { ...args, no_such_argument: null });
      expect([name, unknown]).toMatchObject([
        name,
        { isError: true, _meta: { problem: { param: 'no_such_argument' } } },
      ]);
    }
    const required = await mcp.call('lookup_domain', { name: null });
    expect(required).toMatchObject({ isError: true, _meta: { problem: { param: 'name' } } });
  });
});

const letters = (index: number) => String.fromCharCode(97 + (index % 26));
const lengthOf = ({ content, structuredContent }: Json) =>
  content[0].text.length + JSON.stringify(structuredContent).length;

describe('a list that is too long for one answer', () => {
  const names = Array.from(
    { length: 500 },
    (_, index) => `${letters(index * 7)}${letters(index * 11)}q${index}-zephyr-kx.test`,
  );

  it.each<[form: string, args: Json, expected: readonly string[]]>([
    ['names', { names: [...names, names[0]?.toUpperCase()] }, names],
    [
      'invalid entries',
      { names: names.map((name) => `${name} x`) },
      names.map((name) => `${name} x`),
    ],
    [
      'a label under TLDs',
      { label: 'taken', tlds: names.map((_, index) => `no-such-tld-${index}`) },
      names.map((_, index) => `taken.no-such-tld-${index}`),
    ],
  ])('is answered in several calls: %s', async (_form, args, expected) => {
    await using mcp = await connectMcp(gateway.url);
    const domains: string[] = [];
    for (let after: string | undefined, calls = 1; ; calls += 1) {
      const answer = (await mcp.call('check_domains', { ...args, after })) as Json;
      const { results, summary, remaining } = answer['structuredContent'];
      domains.push(...results.map(({ domain }: Json) => domain));
      expect(lengthOf(answer)).toBeLessThan(60_000);
      expect(summary.total).toBe(results.length);
      expect(remaining ?? 0).toBe(expected.length - domains.length);
      expect(calls).toBeLessThan(7);
      after = answer['structuredContent'].after;
      if (after === undefined) break;
      expect(answer['content'][0].text).toContain(`${remaining} names are left`);
    }
    expect(domains).toEqual(expected);
  });

  it.each([
    ['a name of another list', 'other.test'],
    ['the last name', names.at(-1)],
  ])('is not continued after %s', async (_what, after) => {
    await using mcp = await connectMcp(gateway.url);
    const answer = await mcp.call('check_domains', { names, after });
    expect(answer).toMatchObject({
      isError: true,
      _meta: { problem: { code: 'invalid_parameter', param: 'after' } },
    });
  });
});

it('advertises schemas that the APIs of models accept, and how long they hold', async () => {
  await using mcp = await connectMcp(gateway.url);
  const listed = await mcp.client.listTools();
  expect(JSON.stringify(listed.tools)).not.toMatch(/"(?:\$schema|additionalProperties)":/);
  expect(listed).toMatchObject({ ttlMs: 3_600_000 });
});

it('says that no TLD matches', async () => {
  await using mcp = await connectMcp(gateway.url);
  const { content } = (await mcp.call('list_tlds', { search: 'no such thing' })) as Json;
  expect(content[0].text).toBe('No TLD matches. Call again with fewer or other arguments.');
});
