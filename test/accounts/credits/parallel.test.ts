import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import {
  callerWith,
  costIn,
  startMeteredGateway,
  type Caller,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { eventsOf, remaining } from '../../support/requests/streams.ts';

const credits = 10;

let metered: MeteredGateway;

beforeEach(async () => {
  metered = await forThisTest(startMeteredGateway);
});

type SendRequest = (customer: Caller, name: string) => Promise<Response>;

/** Requests to both APIs, for a verdict, a record, and a list of two names. */
const senders: readonly SendRequest[] = [
  (customer, name) => customer.fetch(`/v1/status?domain=${name}`),
  (customer, name) => customer.fetch(`/v1/rdap?domain=${name}`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available } }`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available rdap { handle } } }`),
  (customer, name) => customer.post('/v1/status/bulk', { domains: [name, `second-${name}`] }),
];

const nameOf = (index: number) => `n${index}.example`;

describe(`concurrent requests with ${credits} credits left`, () => {
  it('spend exactly these credits if there are 1,000, and rejected requests cause no lookups', async () => {
    const customer = await metered.newCustomer({ credits });
    const answers = await sendAll(1000, () => customer);
    await expectExactlySpent(customer, answers);
    const paid = answers.flatMap(({ status }, index) => (status === 200 ? [nameOf(index)] : []));
    const lookedUp = metered.registry.requests
      .map(({ name }) => name)
      .filter((name) => /^n\d+\./.test(name));
    expect(lookedUp.toSorted()).toEqual(paid.toSorted());
  });

  it('spend exactly these credits if all answers are cached', async () => {
    const otherCustomer = await metered.newCustomer();
    await sendAll(200, () => otherCustomer);
    const lookups = () =>
      metered.registry.requests.filter(({ name }) => !name.startsWith('nic.')).length;
    const before = lookups();
    const customer = await metered.newCustomer({ credits });
    await expectExactlySpent(customer, await sendAll(200, () => customer));
    expect(lookups()).toBe(before);
  });

  it('spend exactly these credits at two gateways with one ledger', async () => {
    const registries = { example: metered.registry.baseUrl };
    const env = {
      AUTH: 'required',
      STORE_URL: `sqlite:${metered.folder}/gateway.db`,
      RATE_LIMIT: '0',
      RDAP_RATE: '0',
    };
    await using second = await startGateway({ registries, env });
    const customer = await metered.newCustomer({ credits });
    const atSecondGateway = callerWith(customer.key, second.fetch);
    await expectExactlySpent(
      customer,
      await sendAll(200, (index) => (index % 2 === 0 ? customer : atSecondGateway)),
    );
  });
});

function sendAll(count: number, customerAt: (index: number) => Caller): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const send = senders[index % senders.length];
      if (!send) throw new Error('The index is out of range.');
      return send(customerAt(index), nameOf(index));
    }),
  );
}

async function expectExactlySpent(customer: Customer, answers: readonly Response[]): Promise<void> {
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(credits);
  expect(await customer.balance()).toMatchObject({ used: credits, remaining: 0 });
  expect(await metered.ledger.check()).toEqual([]);
  // On a busy machine, requests may exceed their queue timeout; they are rejected before pricing.
  const overloaded = answers.filter(({ status }) => status === 503);
  const rejected = answers.filter(({ status }) => status === 402);
  expect(granted.length + rejected.length + overloaded.length).toBe(answers.length);
  for (const answer of rejected) expectInsufficientCredits(await answer.json());
}

function expectInsufficientCredits(body: Record<string, unknown>): void {
  const resetsAt = expect.stringMatching(/^\d{4}-\d\d-01T00:00:00.000Z$/);
  const required = expect.toBeOneOf([prices.single(1), prices.list(2), prices.record(1)]);
  const creditsRemaining = expect.toSatisfy(
    (left) => left < Math.max(prices.list(2), prices.record(1)),
  );
  if ('errors' in body) {
    const extensions = {
      code: 'insufficient_credits',
      type: expect.stringMatching(/\/docs\/errors#insufficient_credits$/),
      creditsRequired: required,
      creditsRemaining,
      resetsAt,
    };
    expect(body).toEqual({ errors: [expect.objectContaining({ extensions })] });
  } else {
    expect(body).toMatchObject({
      code: 'insufficient_credits',
      credits_required: required,
      credits_remaining: creditsRemaining,
      resets_at: resetsAt,
    });
  }
}

it('sends no unpaid rows in streams of cached answers', async () => {
  const domains = ['a.example', 'b.example', 'c.example'];
  const otherCustomer = await metered.newCustomer();
  await otherCustomer.post('/v1/status/bulk', { domains });
  const customer = await metered.newCustomer({ credits: 3 });
  const rowsOfStreams = await Promise.all(
    Array.from({ length: 50 }, async (_, index) =>
      rowsIn(await (index % 2 === 0 ? events(customer, domains) : lines(customer, domains))),
    ),
  );
  expect(rowsOfStreams.filter((rows) => rows > 0)).toEqual([3]);
  expect(await customer.balance()).toMatchObject({ used: 3 });
});

function events(customer: Customer, domains: readonly string[]): Promise<Response> {
  const query = 'subscription ($domains: [String!]) { availability(domains: $domains) { domain } }';
  return customer.graphql(query, { domains }, { accept: 'text/event-stream' });
}

function lines(customer: Customer, domains: readonly string[]): Promise<Response> {
  return customer.post('/v1/status/bulk', { domains }, { accept: 'application/x-ndjson' });
}

async function rowsIn(answer: Response): Promise<number> {
  if (answer.headers.get('content-type') !== 'text/event-stream')
    return (await answer.text()).match(/"index":/g)?.length ?? 0;
  const sent = await remaining(eventsOf(answer));
  return sent.filter(({ data }) => data?.data?.availability).length;
}
