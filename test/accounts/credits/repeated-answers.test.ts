import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  metered = await startMeteredGateway();
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  customer = await metered.newCustomer({ name: 'Zoë', credits: 100 });
});
afterEach(() => metered[Symbol.asyncDispose]());

const path = '/v1/status?domain=a.example';

async function conditionalRequest(parameters: string): Promise<Response> {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  return customer.fetch(path + parameters, { headers: { 'if-none-match': etag } });
}

describe('a conditional request', () => {
  it('costs nothing if the response is a 304 and no registry was queried', async () => {
    const answer = await conditionalRequest('');
    expect([answer.status, costIn(answer)]).toEqual([
      304,
      { requested: 1, charged: 0, refunded: 1, remaining: 99 },
    ]);
    expect(costIn(await customer.fetch(path))).toMatchObject({ charged: 1, remaining: 98 });
  });

  it('is charged if a registry was queried for the 304', async () => {
    const answer = await conditionalRequest('&max_age=0');
    expect([answer.status, costIn(answer)]).toEqual([
      304,
      { requested: 1, charged: 1, refunded: 0, remaining: 98 },
    ]);
    expect(await customer.balance()).toMatchObject({ used: 2 });
  });

  it('gets a 402 instead of a 304 if no credits are left', async () => {
    const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
    const withoutCredits = await metered.newCustomer({ credits: 0 });
    expect((await withoutCredits.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(
      402,
    );
  });
});

it('rejects requests without credits before any lookup, even if only the registrar would be queried', async () => {
  const { registry } = metered;
  const href = registry.url('registrar/domain/linked.example');
  const links = [{ rel: 'related', type: 'application/rdap+json', href }];
  const registrarRequests = () =>
    registry.requests.filter(({ url }) => url.startsWith('/registrar/'));
  registry.on('linked.example', ({ name, url }) =>
    registered(name, url.startsWith('/registrar/') ? {} : { members: { links } }),
  );
  const registrarRecordQuery = '{ domain(name: "linked.example") { registrarRdap { ldhName } } }';
  const poor = await metered.newCustomer({ credits: prices.record(1) });
  await poor.graphql('{ domain(name: "linked.example") { rdap { ldhName } } }');
  expect(await poor.balance()).toMatchObject({ remaining: 0 });
  expect((await poor.graphql(registrarRecordQuery)).status).toBe(402);
  expect(registrarRequests()).toEqual([]);
  expect(await (await customer.graphql(registrarRecordQuery)).json()).toMatchObject({
    data: { domain: { registrarRdap: { ldhName: 'linked.example' } } },
  });
});

it('charges HEAD like GET, and sends the same headers', async () => {
  const record = prices.record(1);
  const head = await customer.fetch('/v1/rdap?domain=taken.example', { method: 'HEAD' });
  expect([head.status, await head.text(), costIn(head)]).toEqual([
    200,
    '',
    { requested: record, charged: record, refunded: 0, remaining: 100 - record },
  ]);
  expect(await customer.balance()).toMatchObject({ used: record });
});

describe('an Idempotency-Key', () => {
  const domains = ['a.example', 'b.example', 'c.example', 'd.example'];
  const send = (key: string, accept = 'application/json') =>
    customer.post('/v1/status/bulk', { domains }, { 'idempotency-key': key, accept });

  it('is charged once, for JSON and NDJSON responses together', async () => {
    expect(costIn(await send('order-1'))).toMatchObject({ requested: 3, charged: 3 });
    expect(costIn(await send('order-1'))).toMatchObject({ charged: 0, remaining: 97 });
    const lines = (await (await send('order-1', 'application/x-ndjson')).text())
      .trimEnd()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '').meta.credits).toMatchObject({
      charged: 0,
      remaining: 97,
    });
    expect(costIn(await send('order-2'))).toMatchObject({
      requested: 3,
      charged: 3,
      remaining: 94,
    });
    expect(await customer.balance()).toMatchObject({ used: 6 });
  });

  it('is not used by a call that was rejected for insufficient credits', async () => {
    customer = await metered.newCustomer({ credits: 2 });
    for (let time = 0; time < 3; time++) expect((await send('order-1')).status).toBe(402);
    expect(metered.registry.requestCount('a.example')).toBe(0);
  });

  it('is charged once for twenty concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('order-1')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(3);
    expect(await customer.balance()).toMatchObject({ used: 3 });
  });
});

describe('the account', () => {
  it('reports the limit, the usage and the end of the month', async () => {
    await customer.fetch(path);
    const { data } = await (
      await customer.graphql(
        '{ account { name creditsLimit creditsUsed creditsRemaining resetsAt } }',
      )
    ).json();
    expect(data.account).toEqual({
      name: 'Zoë',
      creditsLimit: 100,
      creditsUsed: 1,
      creditsRemaining: 99,
      resetsAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00.000Z$/),
    });
  });

  it('can look up free names without credits', async () => {
    const withoutCredits = await metered.newCustomer({ credits: 0 });
    for (const name of ['taken.test', 'a.nowhere', 'no+name'])
      expect((await withoutCredits.fetch(`/v1/status?domain=${name}`)).status).toBe(200);
    expect(
      (await (await withoutCredits.graphql('{ account { creditsRemaining } }')).json()).data
        .account,
    ).toEqual({ creditsRemaining: 0 });
  });
});

it('gives FREE_CREDITS to keys without a plan', async () => {
  await using none = await startMeteredGateway({ env: { FREE_CREDITS: '0' } });
  expect((await (await none.newCustomer()).fetch(path)).status).toBe(402);
  expect(costIn(await (await none.newCustomer({ credits: 5 })).fetch(path))).toMatchObject({
    charged: 1,
    remaining: 4,
  });
  expect(costIn(await (await metered.newCustomer()).fetch(path))).toMatchObject({
    charged: 1,
    remaining: 9999,
  });
});
