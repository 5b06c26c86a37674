import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { anyJson } from '../support/requests/mcp-messages.ts';
import type { Caller } from '../support/gateways/metered-gateway.ts';
import { startWatching } from './watching.ts';

const name = 'domain.changed';
const watching = await forThisFile(startWatching);
const customer = await watching.newCustomer();
await customer.post('/v1/watches', { domains: ['read.example'] });
await watching.change('read.example', 'UPDATED');

/** An event of a stream, as the HTML standard reads it. */
interface SentEvent {
  readonly id: string;
  readonly data: Json;
}

/** Reads a stream as a browser does: comments and unknown fields are ignored. */
async function* eventsOf({ body }: Response): AsyncGenerator<SentEvent, string, void> {
  let rest = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s, 2) as [string, string]),
      );
      const data = fields.get('data');
      if (data) yield { id: fields.get('id') ?? '', data: JSON.parse(data) };
    }
  }
  return rest;
}

function openStream(caller: Caller, lastId: string | undefined, signal?: AbortSignal) {
  return caller.fetch('/v1/changes', {
    headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
    ...(signal && { signal }),
  });
}

describe('a reader of server-sent events', () => {
  it('loses and repeats nothing, however often its connection is cut', async () => {
    const { changes } = await (await customer.fetch('/v1/changes')).json();
    const received: string[] = [];
    let lastId: string = changes.at(-1).id;
    let written = 0;
    const write = async () => {
      await watching.change('read.example', written % 2 > 0 ? 'EXPIRY' : 'PHASE');
      written += 1;
    };
    for (let cut = 0; cut < 8; cut += 1) {
      const client = new AbortController();
      const stream = eventsOf(await openStream(customer, lastId, client.signal));
      // Some are written before the reader is back, and some while it reads.
      for (let at = 0; at < 3; at += 1) await write();
      for (let at = 0; at <= cut % 3; at += 1) {
        const { value } = await stream.next();
        const { id, data } = value as SentEvent;
        expect(data).toMatchObject({ id, domain: 'read.example' });
        received.push((lastId = id));
      }
      client.abort();
      await write();
    }
    const client = new AbortController();
    const stream = eventsOf(await openStream(customer, lastId, client.signal));
    while (received.length < written) received.push(((await stream.next()).value as SentEvent).id);
    client.abort();
    const all = (await (await customer.fetch('/v1/changes?limit=500')).json()).changes;
    expect(received).toEqual(all.slice(-written).map(({ id }: Json) => id));
  });

  it('sees a clean end when the gateway stops, which does not wait for it', async () => {
    await using stopping = await startWatching();
    const reader = await stopping.newCustomer();
    await reader.post('/v1/watches', { domains: ['read.example'] });
    const streams = await Promise.all(
      Array.from({ length: 5 }, async () => eventsOf(await openStream(reader, undefined))),
    );
    const ends = Promise.all(streams.map((stream) => stream.next()));
    await stopping.gateway[Symbol.asyncDispose]();
    // The body ends as announced, after a whole event: a cut connection would reject.
    expect(await ends).toEqual(streams.map(() => ({ done: true, value: '' })));
  });
});

it('the official MCP client polls by raw requests, and a stream continues after its cursor', async () => {
  const headers = { 'x-api-key': customer.key };
  await using mcp = await connectMcp(watching.gateway.url, '2026-07-28', headers);
  const request = (method: string, params: Json): Promise<Json> =>
    mcp.client.request({ method, params }, anyJson);
  const { events } = await request('events/list', {});
  expect(events).toMatchObject([{ name, delivery: ['poll', 'push'] }]);
  const start = await request('events/poll', { name, cursor: null });
  expect(start).toMatchObject({ events: [], hasMore: false });
  for (const type of ['AVAILABLE', 'REGISTERED', 'PHASE'] as const)
    await watching.change('read.example', type);
  const polled = await request('events/poll', { name, cursor: start.cursor, maxEvents: 1 });
  expect(polled.events.map(({ data }: Json) => data.type)).toEqual(['available']);
  const seen: Json[] = [];
  let cursor = polled.cursor;
  // Each stream is cut after its first event.
  for (let at = 0; at < 2; at += 1) {
    const cut = new AbortController();
    mcp.client.fallbackNotificationHandler = async ({ method, params }: Json) => {
      if (cut.signal.aborted || !method.endsWith('/event')) return;
      seen.push(params.data.type);
      cursor = params.cursor;
      cut.abort();
    };
    const params = { name, cursor };
    await mcp.client
      .request({ method: 'events/stream', params }, anyJson, { signal: cut.signal })
      .catch(() => undefined);
  }
  expect(seen).toEqual(['registered', 'phase']);
});
