import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withTimeBudget } from '../../src/lookup/row.ts';
import { forThisTest } from '../support/for-this-test.ts';
import type { FakeRegistry } from '../support/servers/fake-registry.ts';
import type { Gateway, Json } from '../support/gateways/gateway.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { registered } from '../support/bodies/replies.ts';
import { paused, type PausedReply } from '../support/bodies/scripts.ts';
import { eventsOf, remaining } from '../support/requests/streams.ts';

let metered: MeteredGateway;
let registry: FakeRegistry;
let gateway: Gateway;
let customer: Customer;
/** The registry's response for `slow…` names; released by the test. */
let slow: PausedReply;

beforeEach(async () => {
  metered = await forThisTest(startMeteredGateway, {
    env: { RDAP_CONCURRENCY: '2', RDAP_TIMEOUT_MS: '60000', AUTH: 'auto' },
  });
  ({ registry, gateway } = metered);
  customer = await metered.newCustomer();
  slow = paused(({ name }) => registered(name));
  registry.fallback(({ name }) => registered(name));
  registry.on(/^slow/, slow);
});
afterEach(() => slow.release());

const search = (
  names: readonly string[],
  budgetMs: number,
  fields = 'domain status',
  otherFields = '',
) =>
  `{ domains(domains: ${JSON.stringify(names.map((name) => `${name}.example`))}, budgetMs: ${budgetMs}) { ${fields} } ${otherFields} }`;
const statuses = ({ data }: Json) => data.domains.map(({ status }: Json) => status);
/** Long enough for immediate responses, also on a busy machine. */
const ample = 20_000;

describe('a search with a time budget', () => {
  it('returns the rows that are complete by then, and PENDING rows without error, verdict or reason', async () => {
    await gateway.graphql(search(['quick'], ample));
    const fields =
      'domain status available reason phase source cached checkedAt rdap { handle } registrarRdap { handle }';
    const { data, errors } = await gateway.graphql(search(['slow', 'quick'], 0, fields));
    expect(errors).toBeUndefined();
    const nothing = {
      available: null,
      reason: null,
      phase: null,
      source: null,
      checkedAt: null,
      rdap: null,
      registrarRdap: null,
    };
    expect(data.domains).toEqual([
      { domain: 'slow.example', status: 'PENDING', cached: false, ...nothing },
      expect.objectContaining({
        domain: 'quick.example',
        status: 'REGISTERED',
        available: false,
        cached: true,
      }),
    ]);
  });

  it('does not affect other fields with the same name', async () => {
    const answer = gateway.graphql(
      search(['slow'], 0, 'status', 'domain(name: "slow.example") { status }'),
    );
    await registry.whenRequested('slow.example');
    slow.release();
    expect((await answer).data).toEqual({
      domains: [{ status: 'PENDING' }],
      domain: { status: 'REGISTERED' },
    });
    expect(registry.requestCount('slow.example')).toBe(1);
  });

  it('also limits deferred fields', async () => {
    const query = search(['slow'], 0, 'domain ... @defer { status }');
    const answer = await gateway.post('/graphql', { query }, { accept: 'text/event-stream' });
    const events = await remaining(eventsOf(answer));
    expect(events.flatMap(({ data }) => data?.incremental ?? [])).toMatchObject([
      { data: { status: 'PENDING' } },
    ]);
  });

  it('has no limit if the budget is null', async () => {
    const query =
      'query ($budgetMs: Int) { domains(domains: ["quick.example"], budgetMs: $budgetMs) { status } }';
    for (const variables of [{}, { budgetMs: null }, { budgetMs: ample }]) {
      expect(statuses(await gateway.graphql(query, variables))).toEqual(['REGISTERED']);
    }
  });

  it('rejects a negative budget', async () => {
    const { errors } = await gateway.graphql(search(['quick'], -1));
    expect(errors).toMatchObject([
      { path: ['domains'], extensions: { code: 'invalid_parameter', param: 'budgetMs' } },
    ]);
  });
});

describe('a PENDING name', () => {
  const names = ['slow1', 'slow2', 'slow3', 'slow4', 'slow5'];
  const domains = names.map((name) => `${name}.example`);

  it('may be queued longer than the queue timeout of a buffered response', async () => {
    await using other = await startMeteredGateway({
      env: { RDAP_CONCURRENCY: '1', RDAP_TIMEOUT_MS: '60000', QUEUE_TIMEOUT_MS: '0', AUTH: 'auto' },
    });
    const reply = paused(({ name }) => registered(name));
    other.registry.fallback(reply);
    await other.gateway.graphql(search(names, 0));
    await other.registry.when(({ inFlight }) => inFlight === 1);
    reply.release();
    await Promise.all(domains.map((domain) => other.registry.whenRequested(domain)));
  });

  it('is charged, because its lookup continues', async () => {
    const answer = await customer.graphql(search(['slow1', 'slow2', 'slow3'], 0));
    expect(costIn(answer)).toMatchObject({ requested: 3, charged: 3, refunded: 0 });
    expect((await answer.json()).extensions.cost).toMatchObject({ charged: 3 });
    expect((await customer.balance()).used).toBe(3);
    slow.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    expect((await customer.balance()).used).toBe(3);
  });

  it('is dropped if the client disconnects before it is sent', async () => {
    const client = new AbortController();
    const query = search(names, ample);
    const aborted = customer
      .post('/graphql', { query }, {}, client.signal)
      .catch((error: unknown) => error);
    await registry.when(({ inFlight }) => inFlight === 2);
    client.abort();
    await aborted;
    // The gateway settles the operation when it notices the disconnect.
    await expect.poll(() => metered.openReservations()).toBe(0);
    slow.release();
    await gateway.graphql(search(['later', 'last'], ample));
    expect(domains.map(registry.requestCount).toSorted()).toEqual([0, 0, 0, 1, 1]);
  });
});
it('rejects a row whose lookup throws, and cancels its timer', async () => {
  const clock = manualClock();
  const row = {
    id: '',
    domain: '',
    inputs: [],
    unicodeName: '',
    name: '',
    tld: '',
    registrableName: () => null,
    refusal: null,
    outcome: () => Promise.reject(new Error('a fault')),
  };
  const outcomes = withTimeBudget([row], 1000, clock, () => {}).map(async ({ outcome }) =>
    outcome(),
  );
  await expect(Promise.all(outcomes)).rejects.toThrow('a fault');
  await expect.poll(() => clock.pending).toBe(0);
});
