import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { registered } from '../../support/bodies/replies.ts';

let metered: MeteredGateway;
let customer: Customer;

beforeEach(async () => {
  metered = await forThisTest(startMeteredGateway);
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  customer = await metered.newCustomer({ name: 'Zoë', credits: 100 });
});

const path = '/v1/status?domain=a.example';

it('sends a 402 instead of a 304 if no credits are left', async () => {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  const withoutCredits = await metered.newCustomer({ credits: 0 });
  const { status } = await withoutCredits.fetch(path, { headers: { 'if-none-match': etag } });
  expect(status).toBe(402);
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
