import { createClient } from 'graphql-sse';
import { describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { startFlakyProxy } from '../../support/servers/flaky-proxy.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { html, notFound } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';

const minuteMs = 60_000;
const clock = jumpingClock();
const metered = await forThisFile(startMeteredGateway, { clock });
const { registry } = metered;
registry.on(/^html/, html(404));

interface Event {
  readonly id: string;
  readonly domain: string;
  readonly cost: Json;
}

const query = (fields = 'domain available') =>
  `subscription ($domains: [String!]) { availability(domains: $domains) { ${fields} } }`;

/** Subscribes, reads the events until `count` of them arrived, and cuts the connection. */
async function read(
  customer: Customer,
  domains: readonly string[],
  { lastId, count = Infinity, text = query() }: { lastId?: string; count?: number; text?: string },
): Promise<readonly Event[]> {
  const client = new AbortController();
  const headers = {
    accept: 'text/event-stream',
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  };
  const body = { query: text, variables: { domains } };
  const response = await customer.post('/graphql', body, headers, client.signal);
  const events: Event[] = [];
  let received = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk;
    const sent = received.matchAll(/^event: next\nid: (\S+)\ndata: (.*)$/gm);
    events.splice(
      0,
      Infinity,
      ...Array.from(sent, ([, id = '', data = '']) => {
        const { data: result, extensions } = JSON.parse(data);
        return { id, domain: result.availability.domain, cost: extensions?.cost };
      }),
    );
    if (events.length >= count) break;
  }
  client.abort();
  while (metered.openReservations() > 0) await metered.gateway.get('/health');
  return events;
}

const usedBy = async (customer: Customer) => (await customer.balance()).used;
const namesOf = (events: readonly Event[]) => events.map(({ domain }) => domain).toSorted();

it('sends only the other rows after a cut, and charges no row twice', async () => {
  const customer = await metered.newCustomer({ credits: 1000 });
  const reply = paused(notFound());
  registry.on(/^held/, reply);
  const domains = ['a1', 'a2', 'a3', 'a4', 'a5', 'held6'].map((label) => `${label}.example`);
  const first = await read(customer, domains, { count: 5 });
  const used = await usedBy(customer);
  reply.release();
  const asked = registry.requestCount('a1.example');
  const lastId = first.at(-1)?.id ?? '';
  const rest = await read(customer, domains, { lastId });
  expect(namesOf(rest)).toEqual(['held6.example']);
  // Its lookup was under way, and was charged with the cut.
  expect([used, rest[0]?.cost]).toMatchObject([4, { requested: 0, charged: 0 }]);
  expect([await usedBy(customer), registry.requestCount('a1.example')]).toEqual([used, asked]);
  // A client of `EventSource` connects again after the last event, too.
  const done = await read(customer, domains, { lastId: rest[0]?.id ?? '' });
  expect([done, await usedBy(customer)]).toEqual([[], used]);
});

it.each<[what: string, price: number, text?: string]>([
  ['another selection', 6, query('domain registration { handle }')],
  ['another alias', 3, query('domain free: available')],
  ['the same operation', 0],
])('starts again, with the id of another stream, at the price of %s', async (_, price, text) => {
  const customer = await metered.newCustomer({ credits: 1000 });
  const domains = ['b1.example', 'b2.example', 'b3.example'];
  const first = await read(customer, domains, {});
  expect(namesOf(first)).toEqual(domains);
  const id = first.at(-1)?.id ?? '';
  for (const lastId of [`x${id.slice(1)}`, id.split('.')[0] ?? '', '17', '']) {
    const again = await read(customer, domains, { lastId, ...(text && { text }) });
    expect(namesOf(again)).toEqual(domains);
    expect(await usedBy(customer)).toBe(3 + price);
  }
});

describe('a stream that starts again without an id', () => {
  const domains = ['e1', 'e2', 'e3', 'held-e4', 'html-e5'].map((label) => `${label}.example`);
  const delivered = 3;

  it('is charged for what was not, also while the first one still runs', async () => {
    const customer = await metered.newCustomer({ credits: 5 });
    const reply = paused(notFound());
    registry.on(/^held-e/, reply);
    await read(customer, domains, { count: delivered });
    reply.release();
    const [again, third] = await Promise.all([
      read(customer, domains, {}),
      read(customer, domains, {}),
    ]);
    expect([namesOf(again), namesOf(third)]).toEqual([domains, domains]);
    expect(again.at(-1)?.cost).toMatchObject({ charged: 0 });
    // Four names with a verdict, once.
    expect(await usedBy(customer)).toBe(prices.list(4));
  });

  it('is what graphql-sse does after a cut, and costs nothing more', async () => {
    const customer = await metered.newCustomer();
    await using proxy = await startFlakyProxy(metered.gateway.url);
    const reply = paused(notFound());
    registry.on(/^held-h/, reply);
    const client = createClient({
      url: new URL('/graphql', proxy.url).href,
      headers: { 'x-api-key': customer.key },
      retry: async () => undefined,
    });
    const names = ['h1', 'h2', 'h3', 'held-h4'].map((label) => `${label}.example`);
    const sent = { query: query(), variables: { domains: names } };
    const received: unknown[] = [];
    for await (const { data } of client.iterate(sent)) {
      received.push(data?.['availability']);
      if (received.length !== 3) continue;
      proxy.cutConnections();
      reply.release();
    }
    expect(received).toHaveLength(3 + names.length);
    expect(await usedBy(customer)).toBe(prices.list(4));
    client.dispose();
  });

  it('is charged again after ten minutes, for another account, and with other variables', async () => {
    const [customer, other] = [await metered.newCustomer(), await metered.newCustomer()];
    const names = domains.slice(0, 3);
    const price = prices.list(3);
    await read(customer, names, {});
    clock.advance(9.9 * minuteMs);
    await read(customer, names, {});
    expect(await usedBy(customer)).toBe(price);
    await read(other, names, {});
    expect(await usedBy(other)).toBe(price);
    await read(customer, names.toReversed(), {});
    expect(await usedBy(customer)).toBe(2 * price);
    clock.advance(0.2 * minuteMs);
    await read(customer, names, {});
    expect(await usedBy(customer)).toBe(3 * price);
  });

  it('is charged for names that are queried again for a newer answer', async () => {
    const customer = await metered.newCustomer();
    const text = query().replace('$domains)', '$domains, maxAge: MAX)');
    const names = domains.slice(0, 2);
    for (const [maxAge, price] of [
      ['3600', 2],
      ['3600', 2],
      ['0', 4],
      ['0', 6],
    ] as const) {
      await read(customer, names, { text: text.replace('MAX', maxAge) });
      expect(await usedBy(customer), maxAge).toBe(price);
    }
  });

  it('is not charged again for sites', async () => {
    const customer = await metered.newCustomer();
    const text = query('domain dns { addresses { address } }');
    const [first] = await read(customer, ['f1.example', 'f2.example'], { text });
    const used = await usedBy(customer);
    for (const lastId of ['', first?.id ?? '']) {
      await read(customer, ['f1.example', 'f2.example'], { text, lastId });
      expect(await usedBy(customer)).toBe(used);
    }
  });
});

it('charges slices that are claimed at the same time like one stream', async () => {
  const customer = await metered.newCustomer();
  const domains = Array.from({ length: 8 }, (_, index) => `g${index}.example`);
  const [event] = await read(await metered.newCustomer(), domains, {});
  const [stream] = event?.id.split('.') ?? [];
  const claims = [0b11111100, 0b11110011, 0b11001111, 0b00111111].map(
    (bits) => `${stream}.${Buffer.from([bits]).toString('base64url')}`,
  );
  const slices = await Promise.all(claims.map((lastId) => read(customer, domains, { lastId })));
  expect(namesOf(slices.flat())).toEqual(domains);
  expect(await usedBy(customer)).toBeGreaterThanOrEqual(prices.list(8));
});

it('takes a row as delivered whether or not it had a verdict', async () => {
  const customer = await metered.newCustomer({ credits: 1000 });
  const domains = ['html1.example', 'c2.example'];
  const first = await read(customer, domains, {});
  expect([namesOf(first), await usedBy(customer)]).toEqual([domains.toSorted(), 1]);
  const rest = await read(customer, [...domains, 'c3.example'], { lastId: first.at(-1)?.id ?? '' });
  // Other names are another stream.
  expect(rest).toHaveLength(3);
});

it('pays for each row once, however its client claims rows and cuts', async () => {
  const customer = await metered.newCustomer({ credits: 1000 });
  const domains = ['d1', 'd2', 'd3', 'd4'].map((label) => `${label}.example`);
  const [event] = await read(customer, domains, { count: 1 });
  const [stream] = event?.id.split('.') ?? [];
  const before = await usedBy(customer);
  for (const rows of ['Dw', '_w', '____________']) {
    const claimed = await read(customer, domains, { lastId: `${stream}.${rows}` });
    expect(claimed).toEqual([]);
  }
  expect(await usedBy(customer)).toBe(before);
  const three = await read(customer, domains, { lastId: `${stream}.AQ` });
  expect([namesOf(three), await usedBy(customer)]).toEqual([domains.slice(1), 3]);
});
