import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import {
  callerWith,
  costIn,
  startMeteredGateway,
  type Caller,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { eventsOf, remaining } from '../../support/streams.ts';

const requests = 1000;
const credits = 10;

let metered: MeteredGateway;

beforeEach(async () => {
  metered = await startMeteredGateway();
});
afterEach(() => metered[Symbol.asyncDispose]());

type Ask = (customer: Caller, name: string) => Promise<Response>;

/** Through both doors, at 1 and at 2 credits. */
const asks: readonly Ask[] = [
  (customer, name) => customer.fetch(`/v1/status?domain=${name}`),
  (customer, name) => customer.fetch(`/v1/rdap?domain=${name}`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available } }`),
  (customer, name) => customer.graphql(`{ domain(name: "${name}") { available rdap { handle } } }`),
  (customer, name) => customer.post('/v1/status/bulk', { domains: [name, `second-${name}`] }),
];
const ways = asks.length;

const nameOf = (index: number) => `n${index}.example`;

describe(`${requests} requests at once with ${credits} credits left`, () => {
  it('spend exactly the credits, and nothing is looked up for the others', async () => {
    const customer = await metered.newCustomer({ credits });
    const answers = await askAll(() => customer);
    await expectExactlySpent(customer, answers);
    const paid = answers.flatMap(({ status }, index) => (status === 200 ? [nameOf(index)] : []));
    const asked = metered.registry.requests
      .map(({ name }) => name)
      .filter((name) => /^n\d+\./.test(name));
    expect(asked.toSorted()).toEqual(paid.toSorted());
  });

  it('spend exactly the credits when all answers are remembered', async () => {
    const provider = await metered.newCustomer();
    await askAll(() => provider);
    const lookups = () =>
      metered.registry.requests.filter(({ name }) => !name.startsWith('nic.')).length;
    const before = lookups();
    const customer = await metered.newCustomer({ credits });
    await expectExactlySpent(customer, await askAll(() => customer));
    expect(lookups()).toBe(before);
  });

  it('spend exactly the credits at two gateways with one ledger', async () => {
    const registries = { example: metered.registry.baseUrl };
    const env = {
      AUTH: 'required',
      STORE_URL: `sqlite:${metered.folder}/gateway.db`,
      RATE_LIMIT: '0',
      RDAP_RATE: '0',
    };
    await using second = await startGateway({ registries, env });
    const customer = await metered.newCustomer({ credits });
    const elsewhere = callerWith(customer.key, second.fetch);
    await expectExactlySpent(
      customer,
      await askAll((index) => (index % 2 === 0 ? customer : elsewhere)),
    );
  });
});

function askAll(customerAt: (index: number) => Caller): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const ask = asks[index % ways];
      if (!ask) throw new Error('there is a way for each');
      return ask(customerAt(index), nameOf(index));
    }),
  );
}

async function expectExactlySpent(customer: Customer, answers: readonly Response[]): Promise<void> {
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(credits);
  expect(await customer.balance()).toMatchObject({ used: credits, remaining: 0 });
  expect(await metered.ledger.check()).toEqual([]);
  // A busy machine may take longer than a request may wait for its turn; such a request is rejected before it is priced.
  const overloaded = answers.filter(({ status }) => status === 503);
  const refused = answers.filter(({ status }) => status === 402);
  expect(granted.length + refused.length + overloaded.length).toBe(requests);
  for (const answer of refused) expectShortage(await answer.json());
}

function expectShortage(body: Record<string, unknown>): void {
  const resetsAt = expect.stringMatching(/^\d{4}-\d\d-01T00:00:00.000Z$/);
  const required = expect.toBeOneOf([1, 2]);
  const left = expect.toBeOneOf([0, 1]);
  if ('errors' in body) {
    const extensions = {
      code: 'insufficient_credits',
      creditsRequired: required,
      creditsRemaining: left,
      resetsAt,
    };
    expect(body).toEqual({ errors: [expect.objectContaining({ extensions })] });
  } else {
    expect(body).toMatchObject({
      code: 'insufficient_credits',
      credits_required: required,
      credits_remaining: left,
      resets_at: resetsAt,
    });
  }
}

it('streams of remembered rows send none that are not paid for', async () => {
  const domains = ['a.example', 'b.example', 'c.example'];
  const provider = await metered.newCustomer();
  await provider.post('/v1/status/bulk', { domains });
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
