import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { connectMcp, revisions } from '../../support/requests/mcp-client.ts';
import {
  costIn,
  startMeteredGateway,
  tlds,
  type Customer,
} from '../../support/gateways/metered-gateway.ts';
import { toolCall } from '../../support/requests/mcp-messages.ts';
import { html } from '../../support/bodies/replies.ts';
import { scrape } from '../../support/checks/scrape.ts';

const metered = await forThisFile(startMeteredGateway, { env: { METRICS_ALLOW: '127.0.0.1' } });
metered.registry.on(/^html/, html(404));
const customer = await metered.newCustomer({ credits: 1000 });

const connect = (key: string, revision = revisions[0] as (typeof revisions)[number]) =>
  connectMcp(metered.gateway.url, revision, { authorization: `Bearer ${key}` });
const usedBy = async ({ balance }: Customer) => (await balance()).used;

describe.each(revisions)('with revision %s', (revision) => {
  it.each<[tool: string, args: Json, requested: number, charged: number, code?: string]>([
    ['check_domains', { label: 'a', tlds: tlds(51) }, 2, 2],
    ['check_domains', { names: ['a.example'] }, 1, 1],
    ['check_domains', { names: ['a.example', 'b.example', 'c.example'] }, 3, 3],
    ['check_domains', { names: ['html1.example', 'html2.example', 'c.example'] }, 3, 1],
    ['check_domains', { names: ['html3.example'] }, 1, 0],
    ['check_domains', { names: ['a.test', 'b.test', 'a_b'] }, 0, 0],
    ['lookup_domain', { name: 'a.example' }, prices.record(1), prices.record(1)],
    ['lookup_domain', { name: 'taken.test' }, 0, 0],
    ['lookup_object', { object: '192.0.2.53' }, 0, 0],
    // The name that a text stands for is found without a lookup.
    ['lookup_domain', { name: 'https://www.a.example/' }, 0, 0, 'invalid_name'],
    ['lookup_domain', { name: '.a.example' }, 0, 0, 'invalid_name'],
    ['list_tlds', {}, 0, 0],
  ])('%s with %j reserves %i and costs %i', async (tool, args, requested, charged, code) => {
    const before = await usedBy(customer);
    await using mcp = await connect(customer.key, revision);
    const { structuredContent, _meta } = await mcp.call(tool, args);
    const used = (await usedBy(customer)) - before;
    expect(used).toBe(charged);
    expect((_meta as Json)?.problem?.code).toBe(code);
    if (code) return;
    expect(structuredContent.credits).toEqual({
      requested,
      charged,
      refunded: requested - charged,
      remaining: 1000 - before - charged,
    });
  });

  it('rejects a call without enough credits, and looks nothing up', async () => {
    const poor = await metered.newCustomer({ credits: 1 });
    await using mcp = await connect(poor.key, revision);
    const { isError, _meta } = await mcp.call('lookup_domain', { name: 'poor.example' });
    expect([isError, _meta?.['problem']]).toMatchObject([
      true,
      { code: 'insufficient_credits', credits_required: prices.record(1), credits_remaining: 1 },
    ]);
    expect(metered.registry.requestCount('poor.example')).toBe(0);
    const cached = await mcp.call('lookup_domain', { name: 'a.example' });
    expect(cached).toMatchObject({ _meta: { problem: { code: 'insufficient_credits' } } });
    expect(await usedBy(poor)).toBe(0);
  });

  it('returns the account of the key', async () => {
    const rich = await metered.newCustomer({ name: 'Rich', credits: 7 });
    await using mcp = await connect(rich.key, revision);
    const { structuredContent } = await mcp.call('account');
    expect(structuredContent.account).toMatchObject({ name: 'Rich', credits_remaining: 7 });
  });

  it.each([
    ['missing_api_key', {}],
    ['invalid_api_key', { authorization: 'Bearer rgw_wrong' }],
  ])('cannot connect: %s', async (_code, headers: Record<string, string>) => {
    await expect(connectMcp(metered.gateway.url, revision, headers)).rejects.toThrow(
      /401|auth|api_key/i,
    );
  });
});

it.each([
  ['with requirements', (index: number) => `zephyr-kites-${index}.us`],
  ['of a brand', (index: number) => `zephyr-kites-${index}.google`],
  ['that are no names', (index: number) => `${'y'.repeat(40)} kites ${index}`],
])('charges each name of a list of several answers once: names %s', async (_what, nameOf) => {
  const names = Array.from({ length: 300 }, (_, index) => nameOf(index));
  await using mcp = await connect(customer.key);
  const checked: string[] = [];
  for (let after: string | undefined = undefined; checked.length < names.length;) {
    const { content, structuredContent } = (await mcp.call('check_domains', {
      names,
      after,
    })) as Json;
    const { results, credits } = structuredContent;
    const price = results[0].status === 'invalid' ? 0 : Math.ceil(1 + results.length / 2);
    expect(credits.requested).toBe(price);
    expect(content[0].text.length + JSON.stringify(structuredContent).length).toBeLessThan(60_000);
    checked.push(...results.map(({ domain }: Json) => domain));
    after = structuredContent.after;
  }
  expect(checked).toEqual(names);
});

/** The error of a request whose message was not read. */
const rejection = (code: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: expect.any(String), data: { code } },
});

const call = toolCall('check_domains', { names: ['a.test'] });

describe('POST /mcp', () => {
  it.each([
    ['missing_api_key', {}],
    ['invalid_api_key', { 'x-api-key': 'rgw_wrong' }],
  ])('rejects a request like REST: %s', async (code, headers: Record<string, string>) => {
    const { gateway } = metered;
    const [mcp, rest] = await Promise.all([
      gateway.fetch('/mcp', toolCall('account', {}, { headers })),
      gateway.fetch('/v1/tlds', { headers }),
    ]);
    expect(mcp.status).toEqual(rest.status);
    expect(mcp.headers.get('www-authenticate')).toEqual(rest.headers.get('www-authenticate'));
    expect(await mcp.json()).toMatchObject(rejection(code));
  });

  it('states the cost in headers if the response is sent in one piece', async () => {
    const response = await customer.fetch('/mcp', toolCall('lookup_domain', { name: 'b.example' }));
    expect(response.headers.get('content-type')).toContain('application/json');
    const record = prices.record(1);
    expect(costIn(response)).toMatchObject({ requested: record, charged: record, refunded: 0 });
  });

  it('accepts a call without a handshake from a client that accepts everything', async () => {
    const params = { name: 'account', arguments: {} };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const response = await customer.post('/mcp', message);
    expect(response.status).toBe(200);
    expect(await response.text()).toEqual(
      expect.stringContaining('"structuredContent":{"account":{"name":"Customer"'),
    );
  });

  it.each<[what: string, init: RequestInit, status: number, code: string]>([
    ['a body that is too large', { body: 'x'.repeat(65_537) }, 413, 'payload_too_large'],
    [
      'another media type',
      { headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    ['GET', { method: 'GET', body: null }, 405, 'method_not_allowed'],
    ['DELETE', { method: 'DELETE', body: null }, 405, 'method_not_allowed'],
  ])('rejects %s', async (_what, init, status, code) => {
    const headers = { ...call.headers, ...init.headers };
    const response = await customer.fetch('/mcp', { ...call, ...init, headers });
    expect([response.status, await response.json()]).toMatchObject([status, rejection(code)]);
    if (status === 405) expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('counts calls by route and code in the metrics', async () => {
    await customer.fetch('/mcp', toolCall('lookup_domain', { name: 'a b' }));
    const scraped = await scrape(metered.gateway);
    const codes = ['ok', 'invalid_name'].filter(
      (code) => scraped.sum('rdap_gateway_http_requests_total', { route: '/mcp', code }) > 0,
    );
    expect(codes).toEqual(expect.arrayContaining(['ok', 'invalid_name']));
  });
});

describe.each(['2025-11-25', '2026-07-28'])('with revision %s, a client', (revision) => {
  it.each([
    ['application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json;q=0.9, text/event-stream;q=0', 'application/json'],
  ])('that accepts only %s gets it', async (accept, mediaType) => {
    const headers = { accept, 'mcp-protocol-version': revision };
    const { body, ...init } = toolCall('check_domains', { names: ['taken.test'] }, { headers });
    // Progress is reported in messages before the result.
    const message = JSON.parse(String(body), (key, value) =>
      key === '_meta' ? { ...(revision === '2026-07-28' && value), progressToken: 'p' } : value,
    );
    const response = await customer.fetch('/mcp', { ...init, body: JSON.stringify(message) });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(mediaType);
    const json = mediaType === 'application/json' ? text : /.*^data: (.+)$/ms.exec(text)?.[1];
    expect(JSON.parse(json ?? '')).toMatchObject({
      id: 1,
      result: { structuredContent: { results: [{ domain: 'taken.test', available: false }] } },
    });
  });
});

describe('limits of callers', () => {
  it('count each call against the rate limit', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT: '3' } });
    const responses = [];
    for (let sent = 0; sent < 4; sent++) responses.push(await gateway.fetch('/mcp', call));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(responses[2]?.headers.get('retry-after')).not.toBeNull();
    expect(await responses[2]?.json()).toMatchObject(rejection('rate_limited'));
  });

  it('include the work of calls that cost no credits', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT: '10' } });
    const names = Array.from({ length: 1900 }, (_, index) => `${index % 400}.invalid`);
    const results = [];
    for (let sent = 0; sent < 5; sent++) {
      const response = await gateway.fetch('/mcp', toolCall('check_domains', { names }));
      results.push((await response.json()).result);
    }
    expect(results.map(({ _meta }) => _meta.problem?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'rate_limited',
    ]);
  });

  it('include the work of reading texts of many lines', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT: '60' } });
    const text = Array.from(
      { length: 15_000 },
      (_, at) => 'abcdefghijklmnopqrstuvwxyz'[at % 26],
    ).join('\n');
    const results = [];
    for (let sent = 0; sent < 9; sent++) {
      const response = await gateway.fetch('/mcp', toolCall('check_domains', { text }));
      results.push((await response.json()).result);
    }
    expect(results.map(({ _meta }) => _meta.problem?.code)).toContain('rate_limited');
  });
});

const from = (origin: string) =>
  toolCall('check_domains', { names: ['a.test'] }, { headers: { origin } });

describe('pages of other origins', () => {
  const app = 'https://app.example';
  let listed: Gateway;
  let open: Gateway;
  beforeAll(async () => {
    listed = await startGateway({ env: { CORS_ORIGINS: app, AUTH: 'open' } });
    open = await startGateway();
  });
  afterAll(async () => {
    await listed[Symbol.asyncDispose]();
    await open[Symbol.asyncDispose]();
  });

  it('may call the tools if CORS_ORIGINS contains the origin', async () => {
    const allowed = await listed.fetch('/mcp', from(app));
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(app);
    expect((await listed.fetch('/mcp', from(listed.url))).status).toBe(200);
    for (const origin of ['https://evil.example', 'null', `${app}:8443`, 'http://app.example']) {
      const rejected = await listed.fetch('/mcp', from(origin));
      expect([origin, rejected.status, (await rejected.json()).error.data.code]).toEqual([
        origin,
        403,
        'forbidden_origin',
      ]);
    }
  });

  it('need a key by default, also under a rebound name', async () => {
    expect((await open.fetch('/mcp', from('https://evil.example'))).status).toBe(401);
    expect((await open.fetch('/mcp', from('http://localhost:6274'))).status).toBe(200);
  });

  it('may send the headers of MCP and read the session id', async () => {
    const requested = 'content-type,mcp-protocol-version,mcp-method,mcp-name,mcp-session-id';
    const preflight = await open.fetch('/mcp', {
      method: 'OPTIONS',
      headers: {
        origin: app,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requested,
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const name of requested.split(',')) expect(allowed).toContain(name);
    const answer = await open.fetch('/mcp', call);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
  });
});
