import { beforeEach, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { notFound } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { eventsOf, next, partsOf } from '../../support/requests/streams.ts';

let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  metered = await forThisTest(startMeteredGateway, { env: { RDAP_CONCURRENCY: '3' } });
  customer = await metered.newCustomer({ credits: 1000 });
  // Makes the registry find its canary, so that its 404s count immediately.
  await (await metered.newCustomer()).fetch('/v1/status?domain=first.example');
});

// Two at a time, as no caller gets all slots of a host that others use: of ten names, two are
// answered, the next two are sent but not answered, and six are queued.
const domains = ['a', 'b', 'held1', 'held2', 'c', 'd', 'e', 'f', 'g', 'h'].map(
  (label) => `${label}.example`,
);

type Open = (signal: AbortSignal) => Promise<AsyncIterator<unknown>>;

interface Stream {
  readonly what: string;
  /** Credits reserved for ten names. */
  readonly requested: number;
  /** Credits charged for the four that were answered or sent. */
  readonly charged: number;
  readonly rowsBeforeAbort: number;
  readonly open: Open;
}

const status = { requested: 6, charged: 3 };
const record = { requested: prices.record(10), charged: prices.record(4) };
const streams: readonly Stream[] = [
  { what: 'a subscription', ...status, rowsBeforeAbort: 2, open: events('domain available') },
  {
    what: 'a subscription to records',
    ...record,
    rowsBeforeAbort: 2,
    open: events('domain rdap { handle }'),
  },
  {
    what: 'a multipart subscription',
    ...status,
    rowsBeforeAbort: 2,
    open: subscriptionParts('domain available'),
  },
  { what: 'lines', ...status, rowsBeforeAbort: 2, open: lines },
  { what: '@defer', ...status, rowsBeforeAbort: 1, open: deferred('status') },
  {
    what: '@defer in the newer format',
    ...status,
    rowsBeforeAbort: 1,
    open: deferred('status', 'multipart/mixed;incrementalSpec=v0.2'),
  },
  { what: 'deferred records', ...record, rowsBeforeAbort: 1, open: deferred('rdap { handle }') },
];

it.each(streams)(
  'charges $what, aborted halfway, for the names answered or sent: $charged of $requested credits',
  async ({ requested, charged, rowsBeforeAbort, open }) => {
    const reply = paused(notFound());
    metered.registry.on(/^held/, reply);
    const client = new AbortController();
    const parts = await open(client.signal);
    for (let row = 0; row < rowsBeforeAbort; row++) await next(parts);
    await metered.registry.whenRequested('held2.example');
    expect((await customer.balance()).used).toBe(requested);
    client.abort();
    expect(await usedOnceSettled(requested)).toBe(charged);
    reply.release();
    expect(await usageAndDiscrepancies()).toEqual({ used: charged, discrepancies: [] });
    for (const name of domains.slice(4)) expect(metered.registry.requestCount(name)).toBe(0);
  },
);

it('charges nothing for a stream that is aborted before any lookup is sent', async () => {
  const reply = paused(notFound());
  metered.registry.on(/^held/, reply);
  // Three other customers occupy all slots: none gets all of them at a host that others use.
  const others = [];
  for (const domain of ['held1.example', 'held2.example', 'held3.example']) {
    const other = await metered.newCustomer();
    others.push(other.fetch(`/v1/status?domain=${domain}`));
    await metered.registry.whenRequested(domain);
  }
  const client = new AbortController();
  await events('domain')(client.signal, domains.slice(4));
  expect((await customer.balance()).used).toBe(4);
  client.abort();
  expect(await usedOnceSettled(4)).toBe(0);
  reply.release();
  await Promise.all(others);
  expect(await usageAndDiscrepancies()).toEqual({ used: 0, discrepancies: [] });
});

it('charges an aborted buffered response for the names answered or sent', async () => {
  const reply = paused(notFound());
  metered.registry.on(/^held/, reply);
  const client = new AbortController();
  const response = customer
    .post('/v1/status/bulk', { domains }, {}, client.signal)
    .catch(() => 'aborted');
  await metered.registry.whenRequested('held2.example');
  client.abort();
  expect(await response).toBe('aborted');
  expect(await usedOnceSettled(6)).toBe(3);
  reply.release();
  expect(await usageAndDiscrepancies()).toEqual({ used: 3, discrepancies: [] });
});

it('settles HEAD of a stream, at no more than the price of GET', async () => {
  const query = `subscription { availability(domains: ${JSON.stringify(domains.slice(4))}) { domain } }`;
  const path = `/graphql?query=${encodeURIComponent(query)}`;
  const answer = await customer.fetch(path, {
    method: 'HEAD',
    headers: { accept: 'text/event-stream' },
  });
  expect([answer.status, answer.headers.get('x-credits-requested')]).toEqual([200, '4']);
  while (metered.openReservations() > 0) await customer.fetch('/health');
  expect((await customer.balance()).used).toBeLessThanOrEqual(4);
});

it('does not refund the reservations of another gateway on the same file', async () => {
  const reply = paused(notFound());
  metered.registry.on(/^held/, reply);
  const client = new AbortController();
  const rows = await events('domain available')(client.signal);
  await next(rows);
  await next(rows);
  await metered.registry.whenRequested('held2.example');
  const STORE_URL = `sqlite:${metered.folder}/gateway.db`;
  {
    await using second = await startGateway({ env: { STORE_URL } });
    await second.get('/health');
    expect([(await customer.balance()).used, metered.openReservations()]).toEqual([6, 1]);
  }
  client.abort();
  expect(await usedOnceSettled(6)).toBe(3);
  reply.release();
  expect(await usageAndDiscrepancies()).toEqual({ used: 3, discrepancies: [] });
});

/**
 * Polls until the reservation is settled. Each poll is a round trip, in which the gateway handles
 * the abort.
 */
async function usedOnceSettled(reserved: number): Promise<number> {
  for (;;) {
    const { data } = await (await customer.graphql('{ account { creditsUsed } }')).json();
    if (data.account.creditsUsed !== reserved) return data.account.creditsUsed;
  }
}

async function usageAndDiscrepancies(): Promise<object> {
  await customer.graphql('{ account { creditsUsed } }');
  return { used: (await customer.balance()).used, discrepancies: await metered.ledger.check() };
}

function events(
  fields: string,
): (signal: AbortSignal, names?: readonly string[]) => Promise<AsyncIterator<unknown>> {
  const query = `subscription ($domains: [String!]) { availability(domains: $domains) { ${fields} } }`;
  return async (signal, names = domains) =>
    eventsOf(
      await customer.post(
        '/graphql',
        { query, variables: { domains: names } },
        { accept: 'text/event-stream' },
        signal,
      ),
    );
}

function subscriptionParts(fields: string): Open {
  const query = `subscription ($domains: [String!]) { availability(domains: $domains) { ${fields} } }`;
  const accept = 'multipart/mixed;subscriptionSpec=1.0';
  return async (signal) =>
    partsOf(
      await customer.post('/graphql', { query, variables: { domains } }, { accept }, signal),
      'graphql',
    );
}

function deferred(fields: string, accept = 'multipart/mixed'): Open {
  const query = `query ($domains: [String!]) { domains(domains: $domains) { domain ... @defer { ${fields} } } }`;
  return async (signal) =>
    partsOf(await customer.post('/graphql', { query, variables: { domains } }, { accept }, signal));
}

async function lines(signal: AbortSignal): Promise<AsyncIterator<unknown>> {
  const answer = await customer.post(
    '/v1/status/bulk',
    { domains },
    { accept: 'application/x-ndjson' },
    signal,
  );
  return linesOf(answer);
}

async function* linesOf({ body }: Response): AsyncGenerator<unknown, void, void> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const complete = (text + chunk).split('\n');
    text = complete.pop() ?? '';
    for (const line of complete) yield JSON.parse(line);
  }
}
