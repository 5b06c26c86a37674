import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { toolCall } from '../../support/requests/mcp-messages.ts';

const { log, lines } = memoryLog();

const gateway = await forThisFile(startGateway, { log, env: { RATE_LIMIT: '0' } });

const nested = (depth: number, open: string, close: string) =>
  open.repeat(depth) + close.repeat(depth);
const request = (method: unknown, params: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const call = (params: unknown) => request('tools/call', params);
const values = [null, true, 0, -1, 1e308, '', 'x', [], [[]], {}, { a: { b: [] } }];
const claim = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

const messages: readonly unknown[] = [
  ...values,
  ...values.map((value) => request(value, {})),
  ...values.map((value) => request('tools/call', value)),
  ...values.map((value) => request('tools/list', {}, value)),
  ...values.map((value) => request('tools/list', { cursor: value })),
  ...values.map((value) => ({ jsonrpc: value, id: 1, method: 'tools/list' })),
  ...values.map((value) => request('initialize', value)),
  ...values.map((value) => request('server/discover', { _meta: value })),
  ...values.map((value) => call({ name: value, arguments: {} })),
  ...values.map((value) => call({ name: 'check_domains', arguments: value })),
  ...values.map((value) => call({ name: 'check_domains', arguments: { names: value } })),
  ...values.map((value) =>
    call({ name: 'check_domains', arguments: { label: value, tlds: value } }),
  ),
  ...values.map((value) =>
    call({
      name: 'query_graph',
      arguments: { query: value, variables: value, max_credits: value },
    }),
  ),
  ...values.map((value) =>
    call({ name: 'query_graph', arguments: { query: '{ __typename }', variables: { a: value } } }),
  ),
  ...values.map((value) =>
    call({ name: 'search_schema', arguments: { query: value, limit: value } }),
  ),
  ...values.map((value) =>
    call({ name: 'lookup_domain', arguments: { name: value, max_age: value } }),
  ),
  ...values.map((value) => call({ name: 'list_tlds', arguments: { after: value, limit: value } })),
  ...values.map((value) => call({ name: 'account', _meta: { progressToken: value } })),
  ...values.map((value) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: value },
  })),
  ...['constructor', '__proto__', 'toString'].map((name) => call({ name })),
  ...[
    'resources/list',
    'prompts/get',
    'logging/setLevel',
    'subscriptions/listen',
    'ping',
    'nothing',
  ].flatMap((method) => [request(method, {}), request(method, { _meta: claim })]),
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } },
  call({ name: 'check_domains', arguments: { names: ['\u0000', '\ud800', 'a'.repeat(60_000)] } }),
  call({ name: 'check_domains', arguments: { names: Array.from({ length: 9000 }, () => 'a.b') } }),
  call({ name: 'lookup_domain', arguments: { name: `${'a.'.repeat(30_000)}test` } }),
  call({
    name: 'check_domains',
    arguments: {
      text: Array.from({ length: 6000 }, (_, at) => at.toString(36)).join('\n'),
      tlds: Array.from({ length: 6000 }, (_, at) => `t${at}`),
    },
  }),
];

const texts = [
  '',
  ' ',
  '{',
  'null',
  '"\\ud800"',
  '{"__proto__":{"method":"tools/list"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"account","arguments":{"__proto__":1}}}',
  nested(30_000, '[', ']'),
  `${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_domains","arguments":{"names":${nested(30_000, '[', ']')}}}}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}}`,
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","id":2}',
];

const headers = { 'content-type': 'application/json' };
const modern = {
  ...headers,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'check_domains',
};

async function expectClientError(init: RequestInit): Promise<void> {
  const response = await gateway.fetch('/mcp', { method: 'POST', ...init });
  const text = await response.text();
  expect([response.status < 500, text.slice(0, 300)]).toEqual([true, text.slice(0, 300)]);
  expect(text).not.toMatch(/-32603|invalid_type|"internal"|node_modules|\.ts\b|at \w+ \(/);
}

describe('a hostile message', () => {
  it.each([
    ['without headers of a revision', headers],
    ['with the headers of revision 2026-07-28', modern],
    ['with an unknown revision', { ...headers, 'mcp-protocol-version': '1999-01-01' }],
  ])('never causes a server error: %s', async (_what, sent) => {
    for (const body of [...messages.map((message) => JSON.stringify(message)), ...texts])
      await expectClientError({ headers: sent, body });
  });

  it('never causes a server error in the envelope of revision 2026-07-28', async () => {
    for (const value of values) {
      await expectClientError(toolCall('check_domains', value));
      await expectClientError(toolCall('check_domains', { names: value, max_age: value }));
      await expectClientError(toolCall('lookup_domain', { name: value }));
      await expectClientError(toolCall('list_tlds', { set: value, search: value }));
    }
  });

  it('is not logged as an error', () => {
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
