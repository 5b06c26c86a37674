import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { systemClock as clock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { changeTypes, type ChangeType } from '../../../src/watches/observation.ts';
import { sharedAccount } from '../../../src/watches/types.ts';
import { ChangeLog } from '../../../src/watches/change-log.ts';
import { WatchList } from '../../../src/watches/watch-list.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { connectClient, connectMcp } from '../../support/requests/mcp-client.ts';
import { anyJson, mcpRequest } from '../../support/requests/mcp-messages.ts';

const name = 'domain.changed';

const stores = await openStores('memory:', { clock, freeCredits: 0 }, createLog('silent'));
const gateway = await forThisFile(startGateway, { stores });
const mcp = await forThisFile(connectMcp, gateway.url);
const { watches: database, accounts: ledger } = stores;
const log = new ChangeLog(database, clock, {
  appended: () => undefined,
  announced: () => undefined,
});
const directory = { resolve: () => ({ registry: {}, policy: {} }) as never };
const names = new WatchList({ database, ledger, directory, clock, changeLog: log });
await names.watch(sharedAccount, ['a.example', 'b.example']);

const request = (method: string, params: Json = {}): Promise<Json> =>
  mcp.client.request({ method, params }, anyJson);
const poll = (cursor: string | null, params: Json = {}) =>
  request('events/poll', { name, cursor, ...params });

/** Appends a change of a name, seen some time ago. */
async function change(domain: string, type: ChangeType, agoMs = 0): Promise<void> {
  const seenAt = clock.now() - agoMs;
  const [before, after] = [{ verdict: 'REGISTERED' }, { verdict: 'AVAILABLE' }] as const;
  const difference = { type, notBefore: seenAt - 1000, seenAt, before, after, evidence: null };
  await stores.watches.transaction((query) => log.append(query, domain, [difference]));
}

/** Opens a stream. Yields the messages. */
async function* streamOf(params: Json, signal: AbortSignal): AsyncGenerator<Json, void, void> {
  const sent = mcpRequest('events/stream', { name, ...params });
  const { body } = await gateway.fetch('/mcp', { ...sent, signal });
  let rest = '';
  if (!body) return;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
  }
}

it('lists events that cover all changes, and declares the extension', async () => {
  const { events } = await request('events/list');
  expect(events.map((event: Json) => event.name)).toEqual([name]);
  const [{ delivery, inputSchema, payloadSchema }] = events;
  expect(delivery).toEqual(['poll', 'push']);
  expect(inputSchema.required ?? []).toEqual([]);
  const types = changeTypes.map((type) => type.toLowerCase());
  expect(payloadSchema.properties.type.enum).toEqual(types);
  for (const type of types) expect(inputSchema.properties.types.description).toContain(type);
  const { extensions } = mcp.client.getServerCapabilities() as Json;
  expect(extensions).toEqual({ 'io.modelcontextprotocol/events': {} });
});

describe('events/poll', () => {
  it('starts now, resumes with its cursor, and has more', async () => {
    await change('a.example', 'EXPIRY');
    const first = await poll(null);
    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false });
    await change('a.example', 'AVAILABLE');
    await change('foreign.example', 'AVAILABLE');
    await change('b.example', 'REGISTERED');
    const next = await poll(first.cursor, { maxEvents: 1 });
    expect(next).toMatchObject({ truncated: false, hasMore: true });
    const [event] = next.events;
    expect(event).toMatchObject({
      name,
      eventId: event.data.change_id,
      timestamp: event.data.seen_at,
      data: { type: 'available', domain: 'a.example', after: { verdict: 'available' } },
    });
    expect(next.cursor).toBe(event.eventId);
    const last = await poll(next.cursor);
    expect(last.events.map(({ data }: Json) => data.domain)).toEqual(['b.example']);
    expect(await poll(last.cursor)).toMatchObject({ events: [], hasMore: false });
  });

  it.each([
    [{ domain: 'B.example' }, ['registered', 'expiry']],
    [{ types: ['available'] }, ['available']],
    [{ types: ['AVAILABLE', 'expiry'], domain: 'b.example' }, ['expiry']],
    [{ domain: null, types: null }, ['available', 'registered', 'expiry']],
  ])('filters by %j', async (filter, expected) => {
    const { cursor } = await poll(null);
    await change('a.example', 'AVAILABLE');
    await change('b.example', 'REGISTERED');
    await change('b.example', 'EXPIRY');
    const { events } = await poll(cursor, { arguments: filter });
    expect(events.map(({ data }: Json) => data.type)).toEqual(expected);
  });

  it('replays what is kept, truncated, after an expired cursor or one of another log', async () => {
    const { cursor, events, truncated } = await poll('0123456789-1');
    expect([truncated, events.length > 0]).toEqual([true, true]);
    expect(await poll(cursor)).toMatchObject({ truncated: false });
  });

  it('skips events that are older than maxAgeMs', async () => {
    const { cursor } = await poll(null);
    await change('a.example', 'EXPIRY', 60_000);
    await change('a.example', 'REGISTERED');
    const { events, truncated } = await poll(cursor, { maxAgeMs: 30_000 });
    expect([events.map(({ data }: Json) => data.type), truncated]).toEqual([['registered'], true]);
    expect(await poll(cursor, { maxAgeMs: 90_000 })).toMatchObject({ truncated: false });
  });

  it.each([
    [{ name: 'other' }, -32_023, { kind: 'event' }],
    [{}, -32_602, { param: 'params.name' }],
    [{ name, maxEvents: 0 }, -32_602, { param: 'params.maxEvents' }],
    [{ name, maxAgeMs: -1 }, -32_602, { param: 'params.maxAgeMs' }],
    [{ name, cursor: 7 }, -32_602, { param: 'params.cursor' }],
    [{ name, arguments: { domain: 'a..b' } }, -32_602, { param: 'domain', code: 'invalid_name' }],
    [{ name, arguments: { types: ['none'] } }, -32_602, { param: 'types' }],
    [{ name, arguments: { other: 1 } }, -32_602, { param: 'other' }],
    [{ name, arguments: [] }, -32_602, { param: 'params.arguments' }],
  ])('rejects %j', async (params, code, data) => {
    for (const method of ['events/poll', 'events/stream'])
      await expect(request(method, params)).rejects.toMatchObject({ code, data });
  });
});

describe('events/stream', () => {
  it('replays, then delivers each change, and resumes', async () => {
    const { cursor } = await poll(null);
    await change('a.example', 'AVAILABLE');
    const ending = new AbortController();
    const messages = streamOf({ cursor }, ending.signal);
    const next = async (): Promise<Json> => (await messages.next()).value;
    const meta = { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } };
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/events/active',
      params: { cursor, truncated: false, ...meta },
    });
    const first = await next();
    expect(first.method).toBe('notifications/events/event');
    expect(first.params).toMatchObject({ data: { domain: 'a.example' }, ...meta });
    expect(first.params.cursor).toBe(first.params.eventId);
    expect(await next()).toMatchObject({
      method: 'notifications/events/heartbeat',
      params: { cursor: first.params.cursor, ...meta },
    });
    await change('foreign.example', 'EXPIRY');
    await change('b.example', 'EXPIRY');
    expect((await next()).params).toMatchObject({ data: { domain: 'b.example', type: 'expiry' } });
    ending.abort();
    await expect(messages.next())
      .resolves.toMatchObject({})
      .catch(() => undefined);
    const { events } = await poll(first.params.cursor);
    expect(events.map(({ data }: Json) => data.domain)).toEqual(['b.example']);
  });

  it('keeps no events that its client does not read, and then sends all', async () => {
    const { cursor } = await poll(null);
    const long = { nameservers: Array.from({ length: 32 }, () => 'n'.repeat(250)) };
    const seenAt = clock.now();
    const times = { notBefore: seenAt, seenAt, evidence: null };
    const one = { type: 'NAMESERVERS', before: long, after: long, ...times } as const;
    const differences = Array.from({ length: 3000 }, () => one);
    await stores.watches.transaction((query) => log.append(query, 'a.example', differences));

    const before = process.memoryUsage().arrayBuffers;
    const sent = mcpRequest('events/stream', { name, cursor });
    const response = await gateway.fetch('/mcp', sent);
    for (let at = 0; at < 200; at += 1) await poll(null);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);

    let events = 0;
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      events += chunk.split('"eventId"').length - 1;
      if (events >= differences.length) break;
    }
    expect(events).toBe(differences.length);
  });

  it('ends with a result when the gateway stops', async () => {
    await using stopping = await startGateway();
    const sent = mcpRequest('events/stream', { name });
    const response = await stopping.fetch('/mcp', sent);
    await stopping[Symbol.asyncDispose]();
    expect(await response.text()).toContain('"resultType":"complete"');
  });

  it('is not delivered to a client that accepts only one message', async () => {
    const sent = mcpRequest('events/stream', { name });
    const headers = { ...sent.headers, accept: 'application/json' };
    const response = await gateway.fetch('/mcp', { ...sent, headers });
    expect(await response.json()).toMatchObject({
      error: { code: -32_026, data: { feature: 'deliveryMode', value: 'push' } },
    });
  });
});

it(
  'watches and delivers over stdio, until the request is cancelled',
  { timeout: 60_000 },
  async () => {
    const program = join(import.meta.dirname, '../../support/gateways/mcp-stdio-process.ts');
    await using bootstrap = await writeBootstrap(bootstrapOf({ unused: 'https://rdap.invalid/' }));
    const args = [program, bootstrap.url, '40'];
    const transport = new StdioClientTransport({ command: process.execPath, args });
    await using local = await connectClient(transport, '2026-07-28');
    const received: Json[] = [];
    local.client.fallbackNotificationHandler = async (sent) => void received.push(sent);
    const ending = new AbortController();
    const filter = { domain: 'changing.test', types: ['registrar'] };
    const stream = local.client.request(
      { method: 'events/stream', params: { name, arguments: filter } },
      anyJson,
      { signal: ending.signal, timeout: 60_000 },
    );
    const ended = stream.catch(() => 'ended');
    const events = () => received.filter(({ method }) => method.endsWith('/event'));
    await expect.poll(events, { timeout: 30_000 }).not.toEqual([]);
    expect(events()[0].params.data).toMatchObject({ type: 'registrar', domain: 'changing.test' });
    ending.abort();
    expect(await ended).toBe('ended');
    const { events: replayed } = (await local.client.request(
      { method: 'events/poll', params: { name, cursor: received[0].params.cursor } },
      anyJson,
    )) as Json;
    expect(replayed[0].eventId).toBe(events()[0].params.eventId);
  },
);
