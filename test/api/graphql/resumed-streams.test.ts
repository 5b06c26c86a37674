import { expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateway.ts';
import { startMeteredGateway, type Customer } from '../../support/metered-gateway.ts';
import { html, notFound } from '../../support/replies.ts';
import { paused } from '../../support/scripts.ts';

const metered = await forThisFile(startMeteredGateway);
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

it('sends only the other rows after a cut, and charges only them', async () => {
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
  expect(rest[0]?.cost).toMatchObject({ requested: 1, charged: 1 });
  expect([await usedBy(customer), registry.requestCount('a1.example')]).toEqual([used + 1, asked]);
  // A client of `EventSource` connects again after the last event, too.
  const done = await read(customer, domains, { lastId: rest[0]?.id ?? '' });
  expect([done, await usedBy(customer)]).toEqual([[], used + 1]);
});

it.each<[what: string, lastId: (id: string) => string, text?: string]>([
  ['another selection', (id) => id, query('domain registration { handle }')],
  ['another alias', (id) => id, query('domain free: available')],
  ['a changed stream', (id) => `x${id.slice(1)}`],
  ['no rows', (id) => id.split('.')[0] ?? ''],
  ['no id of this gateway', () => '17'],
  ['an empty id', () => ''],
])('starts again, at the full price, with the id of %s', async (_what, lastId, text) => {
  const customer = await metered.newCustomer({ credits: 1000 });
  const domains = ['b1.example', 'b2.example', 'b3.example'];
  const first = await read(customer, domains, {});
  expect(namesOf(first)).toEqual(domains);
  const used = await usedBy(customer);
  const again = await read(customer, domains, {
    lastId: lastId(first.at(-1)?.id ?? ''),
    ...(text && { text }),
  });
  expect(namesOf(again)).toEqual(domains);
  expect(await usedBy(customer)).toBeGreaterThanOrEqual(used + 3);
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
  expect([namesOf(three), (await usedBy(customer)) - before]).toEqual([domains.slice(1), 3]);
});
