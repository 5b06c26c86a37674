import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { registered } from '../../support/replies.ts';

let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  metered = await startMeteredGateway();
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  customer = await metered.newCustomer({ name: 'Zoë', credits: 100 });
});
afterEach(() => metered[Symbol.asyncDispose]());

const path = '/v1/status?domain=a.example';

async function again(more: string): Promise<Response> {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  return customer.fetch(path + more, { headers: { 'if-none-match': etag } });
}

describe('a client that has the answer already', () => {
  it('pays nothing for a 304 for which no registry was asked', async () => {
    const answer = await again('');
    expect([answer.status, costIn(answer)]).toEqual([
      304,
      { requested: 1, charged: 0, refunded: 1, remaining: 99 },
    ]);
    expect(costIn(await customer.fetch(path))).toMatchObject({ charged: 1, remaining: 98 });
  });

  it('pays for one for which a registry was asked', async () => {
    const answer = await again('&max_age=0');
    expect([answer.status, costIn(answer)]).toEqual([
      304,
      { requested: 1, charged: 1, refunded: 0, remaining: 98 },
    ]);
    expect(await customer.balance()).toMatchObject({ used: 2 });
  });

  it('that has no credits left gets no 304 either', async () => {
    const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
    const penniless = await metered.newCustomer({ credits: 0 });
    expect((await penniless.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(402);
  });
});

it('who cannot pay has nobody asked for him: not even the registrar of a name whose registry need not be asked', async () => {
  const { registry } = metered;
  const href = registry.url('registrar/domain/linked.example');
  const links = [{ rel: 'related', type: 'application/rdap+json', href }];
  const registrarRequests = () =>
    registry.requests.filter(({ url }) => url.startsWith('/registrar/'));
  registry.on('linked.example', ({ name, url }) =>
    registered(name, url.startsWith('/registrar/') ? {} : { members: { links } }),
  );
  const registrarsRecord = '{ domain(name: "linked.example") { registrarRdap { ldhName } } }';
  const poor = await metered.newCustomer({ credits: 2 });
  await poor.graphql('{ domain(name: "linked.example") { rdap { ldhName } } }');
  expect((await poor.graphql(registrarsRecord)).status).toBe(402);
  expect(registrarRequests()).toEqual([]);
  expect(await (await customer.graphql(registrarsRecord)).json()).toMatchObject({
    data: { domain: { registrarRdap: { ldhName: 'linked.example' } } },
  });
});

it('HEAD costs what GET costs, and says so', async () => {
  const head = await customer.fetch('/v1/rdap?domain=taken.example', { method: 'HEAD' });
  expect([head.status, await head.text(), costIn(head)]).toEqual([
    200,
    '',
    { requested: 2, charged: 2, refunded: 0, remaining: 98 },
  ]);
  expect(await customer.balance()).toMatchObject({ used: 2 });
});

describe('an Idempotency-Key', () => {
  const domains = ['a.example', 'b.example', 'c.example', 'd.example'];
  const ask = (key: string, accept = 'application/json') =>
    customer.post('/v1/status/bulk', { domains }, { 'idempotency-key': key, accept });

  it('is charged once, whether its answers come in one piece or as lines', async () => {
    expect(costIn(await ask('order-1'))).toMatchObject({ requested: 3, charged: 3 });
    expect(costIn(await ask('order-1'))).toMatchObject({ charged: 0, remaining: 97 });
    const lines = (await (await ask('order-1', 'application/x-ndjson')).text())
      .trimEnd()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '').meta.credits).toMatchObject({
      charged: 0,
      remaining: 97,
    });
    expect(costIn(await ask('order-2'))).toMatchObject({ requested: 3, charged: 3, remaining: 94 });
    expect(await customer.balance()).toMatchObject({ used: 6 });
  });

  it('whose call was refused for want of credits is not free the next time', async () => {
    customer = await metered.newCustomer({ credits: 2 });
    for (let time = 0; time < 3; time++) expect((await ask('order-1')).status).toBe(402);
    expect(metered.registry.asked('a.example')).toBe(0);
  });

  it('of twenty calls at once is charged once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('order-1')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, answer) => sum + costIn(answer).charged, 0)).toBe(3);
    expect(await customer.balance()).toMatchObject({ used: 3 });
  });
});

describe('the account', () => {
  it('says what its plan is, what was used, and when it begins anew', async () => {
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

  it('without credits may still ask what costs nothing', async () => {
    const penniless = await metered.newCustomer({ credits: 0 });
    for (const name of ['taken.test', 'a.nowhere', 'no+name'])
      expect((await penniless.fetch(`/v1/status?domain=${name}`)).status).toBe(200);
    expect(
      (await (await penniless.graphql('{ account { creditsRemaining } }')).json()).data.account,
    ).toEqual({ creditsRemaining: 0 });
  });
});

it('FREE_CREDITS are those of keys without a plan of their own', async () => {
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
