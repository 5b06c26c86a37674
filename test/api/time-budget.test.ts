import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withTimeBudget } from '../../src/lookup/row.ts';
import { forThisTest } from '../support/for-this-test.ts';
import type { FakeRegistry } from '../support/servers/fake-registry.ts';
import type { Gateway, Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import { expectProblem } from '../support/checks/problems.ts';
import { html, notFound, registered } from '../support/bodies/replies.ts';
import { paused, type PausedReply } from '../support/bodies/scripts.ts';
import { eventsOf, linesOf, next, remaining } from '../support/requests/streams.ts';

let metered: MeteredGateway;
let registry: FakeRegistry;
let gateway: Gateway;
let customer: Customer;
/** The registry's reply to `slow…` names, until the test releases it. */
let slow: PausedReply;
let clock: JumpingClock;

beforeEach(async () => {
  clock = jumpingClock();
  metered = await forThisTest(startMeteredGateway, {
    clock,
    env: { RDAP_CONCURRENCY: '2', RDAP_TIMEOUT_MS: '60000', AUTH: 'auto' },
  });
  ({ registry, gateway } = metered);
  customer = await metered.newCustomer();
  slow = paused(({ name }) => registered(name));
  registry.fallback(({ name }) => registered(name));
  registry.on(/^slow/, slow);
});
afterEach(() => slow.release());

const bulkPath = '/v1/status/bulk';
/** Long enough for every reply that is not paused, even on a busy machine. */
const ample = 20_000;

const get = (domains: readonly string[], budget: number | string, more = '') =>
  customer.fetch(`/v1/status?domain=${domains.join()}&budget_ms=${budget}${more}`);
const bulk = (body: object, headers = {}) => customer.post(bulkPath, body, headers);
const jsonOf = async (response: Promise<Response>): Promise<Json> => (await response).json();
const ifNoneMatch = (response: Response) => ({
  headers: { 'if-none-match': response.headers.get('etag') ?? '' },
});
const statuses = ({ results }: Json) => results.map(({ status }: Json) => status);
const statusesIn = ({ data }: Json) => data.domains.map(({ status }: Json) => status);

const pending = {
  available: null,
  status: 'pending',
  confidence: null,
  source: null,
  rdap_endpoint: null,
  cached: false,
  stale: false,
  checked_at: null,
  latency_ms: expect.any(Number),
};

/** Each way to send names with a budget. Returns the results and `meta` of the response. */
const requests: Record<
  string,
  (domains: readonly string[], budget: number) => Promise<{ results: readonly Json[]; meta: Json }>
> = {
  'GET /v1/status': (domains, budget) => jsonOf(get(domains, budget)),
  'POST /v1/status/bulk': (domains, budget) => jsonOf(bulk({ domains, budget_ms: budget })),
  'POST /v1/status/bulk, in options': (domains, budget) =>
    jsonOf(bulk({ domains, budget_ms: ample, options: { budget_ms: budget } })),
  'POST /v1/status/bulk, as NDJSON': async (domains, budget) => {
    const lines = await remaining(
      linesOf(await bulk({ domains, budget_ms: budget }, { accept: 'application/x-ndjson' })),
    );
    return {
      results: lines.slice(0, -1).toSorted((one, other) => one.index - other.index),
      ...lines.at(-1),
    };
  },
};

const search = (domains: readonly string[], budget: number, fields = 'domain status', more = '') =>
  `{ domains(domains: ${JSON.stringify(domains)}, budgetMs: ${budget}) { ${fields} } ${more} }`;

describe.each(Object.entries(requests))('budget_ms of %s', (_kind, send) => {
  it('ends the response before the registry responds, with pending rows', async () => {
    await gateway.get('/v1/status?domain=quick.example');
    const { results, meta } = await send(
      ['slow.example', 'quick.example', 'not a name', 'a.no-such-tld'],
      0,
    );
    expect(results).toMatchObject([
      { input: 'slow.example', domain: 'slow.example', ...pending },
      { domain: 'quick.example', status: 'registered', available: false, cached: true },
      { status: 'invalid', reason: 'invalid_name' },
      { status: 'unsupported_tld', reason: 'unsupported_tld' },
    ]);
    expect(results[0]).not.toHaveProperty('reason');
    expect(meta).toMatchObject({ total_checked: 4, available_count: 0, pending: 1 });
  });

  it('ends the response when the budget ends, with the results so far', async () => {
    await gateway.get('/v1/status?domain=quick.example');
    const body = send(['slow.example', 'quick.example'], 300);
    await registry.whenRequested('slow.example');
    expect(statuses(await body)).toEqual(['pending', 'registered']);
  });

  it('does not delay the response if every row has a result', async () => {
    const { results, meta } = await send(['quick.example', 'swift.example'], ample);
    expect([statuses({ results }), meta.pending]).toEqual([['registered', 'registered'], 0]);
  });

  it('lets lookups continue, even queued ones, so that repeats use their results', async () => {
    const domains = [1, 2, 3, 4, 5].map((index) => `slow${index}.example`);
    expect(statuses(await send(domains, 0))).toEqual(domains.map(() => 'pending'));
    await registry.when(({ inFlight }) => inFlight === 2);
    slow.release();
    await Promise.all(domains.map((domain) => registry.whenRequested(domain)));
    await registry.when(({ inFlight }) => inFlight === 0);
    expect(statuses(await send(domains, ample))).toEqual(domains.map(() => 'registered'));
    expect(domains.map(registry.requestCount)).toEqual(domains.map(() => 1));
  });

  it('charges pending rows, and refunds failed ones', async () => {
    registry.on('broken.example', html(404));
    await send(['broken.example'], ample);
    expect((await customer.balance()).used).toBe(0);
    await send(['slow1.example', 'slow2.example', 'slow3.example', 'slow4.example'], 0);
    expect((await customer.balance()).used).toBe(3);
    slow.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    expect((await customer.balance()).used).toBe(3);
  });
});

it('counts pending rows as unknown in the meta of a bulk call', async () => {
  const { meta } = await jsonOf(
    bulk({ domains: ['slow.example', 'slow2.example', 'not a name'], budget_ms: 0 }),
  );
  expect(meta).toMatchObject({
    total: 3,
    available: 0,
    registered: 0,
    unknown: 2,
    invalid: 1,
    pending: 2,
  });
});

it('streams results immediately, and pending rows at the end of the budget', async () => {
  const domains = ['slow.example', 'quick.example'];
  await gateway.get('/v1/status?domain=quick.example');
  const lines = linesOf(
    await bulk({ domains, budget_ms: 300 }, { accept: 'application/x-ndjson' }),
  );
  expect(await next(lines)).toMatchObject({ index: 1, status: 'registered' });
  const [last, end, ...more] = await remaining(lines);
  expect([last, more]).toMatchObject([{ index: 0, ...pending }, []]);
  expect(end.meta).toMatchObject({
    pending: 1,
    credits: { requested: 2, charged: 2, refunded: 0 },
  });
});

describe('a response with pending rows', () => {
  it('is no-store, with unknown freshness', async () => {
    const { headers } = await get(['slow.example'], 0);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-data-freshness')).toBe('unknown');
  });

  it('is not cached, even if all other rows are', async () => {
    await gateway.get('/v1/status?domain=quick.example');
    const { results, cached } = await (await get(['slow.example', 'quick.example'], 0)).json();
    expect(statuses({ results })).toEqual(['pending', 'registered']);
    expect(results[1].cached).toBe(true);
    expect(cached).toBe(false);
  });

  it('has another ETag than the complete response', async () => {
    const incomplete = await get(['slow.example'], 0);
    await registry.whenRequested('slow.example');
    slow.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    const path = '/v1/status?domain=slow.example&budget_ms=0';
    const complete = await customer.fetch(path, ifNoneMatch(incomplete));
    expect([complete.status, statuses(await complete.json())]).toEqual([200, ['registered']]);
    expect((await customer.fetch(path, ifNoneMatch(complete))).status).toBe(304);
    registry.on('slow.example', paused(notFound()));
    const again = await customer.fetch(`${path}&max_age=0`, ifNoneMatch(complete));
    expect([again.status, statuses(await again.json())]).toEqual([200, ['pending']]);
  });

  it('is not reused for the same request, which gets the results so far', async () => {
    const earlier = [
      await jsonOf(get(['slow.example'], 0)),
      await jsonOf(get(['slow.example'], 0)),
      await jsonOf(get(['slow.example'], 0)),
    ];
    await registry.whenRequested('slow.example');
    slow.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    const later = [await jsonOf(get(['slow.example'], 0)), await jsonOf(get(['slow.example'], 0))];
    expect([...earlier, ...later].flatMap(statuses)).toEqual(
      'pending pending pending registered registered'.split(' '),
    );
  });
});

describe('a repeat with the same Idempotency-Key', () => {
  const domains = [1, 2, 3, 4, 5].map((index) => `slow${index}.example`);
  const send = (body: object) => bulk({ domains, ...body }, { 'idempotency-key': 'one' });

  it('gets the results so far free of charge while lookups of the first call are queued', async () => {
    const first = await send({ budget_ms: 0 });
    expect(costIn(first).charged).toBe(4);
    expect(statuses(await first.json())).toEqual(domains.map(() => 'pending'));
    await registry.when(({ inFlight }) => inFlight === 2);
    const second = await send({ budget_ms: 0 });
    expect(costIn(second).charged).toBe(0);
    expect(statuses(await second.json())).toEqual(domains.map(() => 'pending'));
    const third = send({ budget_ms: ample });
    // Its lookups have joined those of the first call before these are sent.
    await gateway.get('/health');
    slow.release();
    expect(costIn(await third).charged).toBe(0);
    expect(statuses(await jsonOf(third))).toEqual(domains.map(() => 'registered'));
    expect(domains.map(registry.requestCount)).toEqual(domains.map(() => 1));
    expect((await customer.balance()).used).toBe(4);
  });

  it('may have another budget, or none', async () => {
    await send({ budget_ms: 0 });
    slow.release();
    for (const body of [{ budget_ms: ample }, { options: { budget_ms: 0 } }, {}])
      expect((await send(body)).status).toBe(200);
    await expectProblem(await send({ max_age: 5 }), 'idempotency_conflict', {
      param: 'Idempotency-Key',
    });
    expect((await customer.balance()).used).toBe(4);
  });

  it('is charged again for names that are pending again after their lookups failed', async () => {
    const failing = paused(html(404));
    registry.on(/^failing/, failing);
    const names = [1, 2, 3, 4].map((index) => `failing${index}.example`);
    const again = (budget: number) =>
      bulk({ domains: names, budget_ms: budget }, { 'idempotency-key': 'two' });
    expect(costIn(await again(0)).charged).toBe(3);
    failing.release();
    const failed = await again(ample);
    expect(costIn(failed).charged).toBe(0);
    expect(statuses(await failed.json())).toEqual(names.map(() => 'unknown'));
    // A name whose lookup failed is not sent again for five seconds.
    clock.advance(6000);
    registry.on(/^failing/, slow);
    expect(costIn(await again(0)).charged).toBe(3);
    expect((await customer.balance()).used).toBe(6);
  });
});

describe('a budget that is not a whole number of milliseconds from 0 to 60000', () => {
  it.each(['-1', '1.5', 'soon', '0x10', '60001', '99999999999999999999'])(
    'is rejected: budget_ms=%s',
    async (budget) => {
      await expectProblem(await get(['quick.example'], budget), 'invalid_parameter', {
        param: 'budget_ms',
      });
    },
  );

  it.each([
    ['an empty value', '', 'missing_parameter'],
    ['a repeated parameter', '1&budget_ms=1', 'invalid_parameter'],
  ] as const)('is rejected: %s', async (_what, budget, code) => {
    await expectProblem(await get(['quick.example'], budget), code, { param: 'budget_ms' });
  });

  it.each([-1, 1.5, '300', true, 60_001, [300]])('is rejected in a body: %j', async (budget) => {
    const domains = ['quick.example'];
    await expectProblem(await bulk({ domains, budget_ms: budget }), 'invalid_parameter', {
      param: 'budget_ms',
    });
    const param = 'options.budget_ms';
    const rejection = await bulk({ domains, budget_ms: 1, options: { budget_ms: budget } });
    await expectProblem(rejection, 'invalid_parameter', { param });
    await expectProblem(
      await bulk({ domains, budget_ms: budget }, { accept: 'application/x-ndjson' }),
      'invalid_parameter',
      { param: 'budget_ms' },
    );
  });

  it('is reported with all other errors', async () => {
    const { errors } = await jsonOf(
      bulk({ domains: [1], max_age: -1, budget_ms: -1, options: { max_age: 'x', budget_ms: 'x' } }),
    );
    const params = ['domains.0', 'max_age', 'options.max_age', 'budget_ms', 'options.budget_ms'];
    expect(errors.map(({ param }: Json) => param)).toEqual(params);
  });

  it('costs nothing, and null counts as absent', async () => {
    await get(['quick.example'], -1);
    await bulk({ domains: ['quick.example'], budget_ms: -1 });
    expect((await customer.balance()).used).toBe(0);
    expect(registry.requestCount('quick.example')).toBe(0);
    const { meta } = await jsonOf(
      bulk({ domains: ['quick.example'], budget_ms: null, options: { budget_ms: null } }),
    );
    expect(meta).not.toHaveProperty('pending');
    const boundaries = await Promise.all([
      get(['quick.example'], 60_000),
      bulk({ domains: ['quick.example'], budget_ms: 60_000 }),
    ]);
    expect(boundaries.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('the budget of a search in GraphQL', () => {
  it('returns the rows that are complete by then, and PENDING rows without error, verdict or reason', async () => {
    await gateway.graphql(search(['quick.example'], ample));
    const fields =
      'domain status available reason phase source cached checkedAt rdap { handle } registrarRdap { handle }';
    const { data, errors } = await gateway.graphql(
      search(['slow.example', 'quick.example'], 0, fields),
    );
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
      search(['slow.example'], 0, 'status', 'domain(name: "slow.example") { status }'),
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
    const query = search(['slow.example'], 0, 'domain ... @defer { status }');
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
      expect(statusesIn(await gateway.graphql(query, variables))).toEqual(['REGISTERED']);
    }
  });

  it('rejects a negative budget', async () => {
    const { errors } = await gateway.graphql(search(['quick.example'], -1));
    expect(errors).toMatchObject([
      { path: ['domains'], extensions: { code: 'invalid_parameter', param: 'budgetMs' } },
    ]);
  });
});

describe('a PENDING name', () => {
  const domains = [1, 2, 3, 4, 5].map((index) => `slow${index}.example`);

  it('may be queued longer than the queue timeout of a buffered response', async () => {
    await using other = await startMeteredGateway({
      env: { RDAP_CONCURRENCY: '1', RDAP_TIMEOUT_MS: '60000', QUEUE_TIMEOUT_MS: '0', AUTH: 'auto' },
    });
    const reply = paused(({ name }) => registered(name));
    other.registry.fallback(reply);
    await other.gateway.graphql(search(domains, 0));
    await other.registry.when(({ inFlight }) => inFlight === 1);
    reply.release();
    await Promise.all(domains.map((domain) => other.registry.whenRequested(domain)));
  });

  it('is charged, because its lookup continues', async () => {
    const answer = await customer.graphql(search(domains.slice(0, 3), 0));
    expect(costIn(answer)).toMatchObject({ requested: 3, charged: 3, refunded: 0 });
    expect((await answer.json()).extensions.cost).toMatchObject({ charged: 3 });
    expect((await customer.balance()).used).toBe(3);
    slow.release();
    await registry.when(({ inFlight }) => inFlight === 0);
    expect((await customer.balance()).used).toBe(3);
  });

  it('is dropped if the client disconnects before it is sent', async () => {
    const client = new AbortController();
    const query = search(domains, ample);
    const aborted = customer
      .post('/graphql', { query }, {}, client.signal)
      .catch((error: unknown) => error);
    await registry.when(({ inFlight }) => inFlight === 2);
    client.abort();
    await aborted;
    // The gateway settles the operation when it notices the disconnect.
    await expect.poll(() => metered.openReservations()).toBe(0);
    slow.release();
    await gateway.graphql(search(['later.example', 'last.example'], ample));
    expect(domains.map(registry.requestCount).toSorted()).toEqual([0, 0, 0, 1, 1]);
  });
});

it('rejects a row whose lookup throws, and cancels its timer', async () => {
  const stopped = manualClock();
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
  const outcomes = withTimeBudget([row], 1000, stopped, () => {}).map(async ({ outcome }) =>
    outcome(),
  );
  await expect(Promise.all(outcomes)).rejects.toThrow('a fault');
  await expect.poll(() => stopped.pending).toBe(0);
});
