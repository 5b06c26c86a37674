import { beforeEach, expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { costIn, startMeteredGateway, type Customer } from '../support/gateways/metered-gateway.ts';
import { network } from '../support/bodies/registry-objects.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { hang } from '../support/bodies/hostile-replies.ts';

const object = prices.object(1);

let customer: Customer;

const registry = await forThisFile(startFakeRegistry);
registry.on(/^ip\/8\.8\./, network('8.8.0.0', '8.8.255.255'));
registry.on(/^ip\/8\.9\./, status(403));
const metered = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
  env: { MAX_LOOKUPS: '20' },
});
metered.registry.on(/^hosted/, ({ name }) =>
  registered(name, {
    members: {
      nameservers: ['1', '2'].map((number) => ({
        objectClassName: 'nameserver',
        ldhName: `ns${number}.hosting.example`,
        ipAddresses: { v4: [`8.8.${number}0.1`] },
      })),
    },
  }),
);

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const used = async () => (await customer.balance()).used;

it.each([
  ['an object', '{ ip(address: "8.8.1.1") { found } }', object, object],
  ['an object that does not exist', '{ ip(address: "8.7.1.1") { found } }', object, object],
  [
    'the same object twice',
    '{ a: ip(address: "8.8.1.2") { found } b: ip(address: "8.8.1.2") { handle } }',
    object,
    object,
  ],
  [
    'two objects',
    '{ a: ip(address: "8.8.1.3") { found } b: ip(address: "8.8.1.4") { found } }',
    prices.object(2),
    prices.object(2),
  ],
  ['an object that could not be looked up', '{ ip(address: "8.9.1.1") { found } }', object, 0],
  ['a reserved address', '{ ip(address: "10.0.0.1") { found } }', 0, 0],
  ['a sandbox object', '{ ip(address: "192.0.2.53") { found } }', 0, 0],
  ['a field without a lookup', '{ ip(address: "8.8.1.5") { __typename } }', 0, 0],
  [
    'a record and the networks of its nameservers',
    '{ domain(name: "hosted.example") { rdap { hosts { addresses { network { found } } } } } }',
    prices.record(1) + prices.object(2),
    prices.record(1) + prices.object(2),
  ],
])('%s costs as much as the table says', async (_what, query, requested, charged) => {
  registry.on(/^ip\/8\.7\./, notFound('No such network.'));
  const response = await customer.graphql(query);
  expect((await response.json()).errors).toBeUndefined();
  expect([costIn(response), await used(), metered.openReservations()]).toEqual([
    { requested, charged, refunded: requested - charged, remaining: 10_000 - charged },
    charged,
    0,
  ]);
});

it('a 304 is free if the object was cached', async () => {
  const path = '/v1/rdap?query=8.8.4.1';
  const first = await customer.fetch(path);
  const etag = first.headers.get('etag') ?? '';
  const again = await customer.fetch(path, { headers: { 'if-none-match': etag } });
  const queried = await customer.fetch(`${path}&max_age=0`, { headers: { 'if-none-match': etag } });
  expect(
    [first, again, queried].map((response) => [response.status, costIn(response).charged]),
  ).toEqual([
    [200, object],
    [304, 0],
    [304, object],
  ]);
  expect([await used(), metered.openReservations()]).toEqual([2 * object, 0]);
});

it('without enough credits, an object is a problem, and other fields are not affected', async () => {
  const poor = await metered.newCustomer({ credits: prices.record(1) + object - 1 });
  const response = await poor.graphql(
    '{ domain(name: "hosted-poor.example") { available rdap { hosts { addresses { network { found problem { code } } } } } } }',
  );
  const { data, errors } = await response.json();
  const networks = data.domain.rdap.hosts.map(
    ({ addresses }: { addresses: { network: unknown }[] }) => addresses[0]?.network,
  );
  const refused = { found: null, problem: { code: 'insufficient_credits' } };
  expect([errors, data.domain.available, networks]).toEqual([undefined, false, [refused, refused]]);
  expect(costIn(response).charged).toEqual(prices.record(1));
  expect((await poor.balance()).used).toEqual(prices.record(1));
});

it.each(['/v1/rdap?query=8.8.1.9', '/rdap/ip/8.8.1.9'])(
  'without enough credits, %s is a 402 that states the price',
  async (path) => {
    const poor = await metered.newCustomer({ credits: object - 1 });
    const response = await poor.fetch(path);
    expect(response.status).toBe(402);
    expect(await response.json()).toEqual(
      expect.objectContaining(
        path.startsWith('/v1/')
          ? {
              code: 'insufficient_credits',
              credits_required: object,
              credits_remaining: object - 1,
              resets_at: expect.any(String),
            }
          : { errorCode: 402 },
      ),
    );
    expect(metered.openReservations()).toBe(0);
  },
);

it('objects are free if the credits that remain do not suffice for a cached record', async () => {
  const query =
    '{ domain(name: "hosted.example") { rdap { hosts { addresses { network { found } } } } } }';
  await customer.graphql(query);
  const poor = await metered.newCustomer({ credits: prices.record(1) + prices.object(2) - 1 });
  const response = await poor.graphql(query);
  const { errors } = await response.json();
  expect([response.status, errors[0].extensions.code]).toEqual([402, 'insufficient_credits']);
  expect([(await poor.balance()).used, metered.openReservations()]).toEqual([0, 0]);
});

it('an operation looks up at most MAX_LOOKUPS objects', async () => {
  const fields = Array.from(
    { length: 22 },
    (_, index) => `n${index}: ip(address: "8.8.2.${index}") { found problem { code } }`,
  );
  const { data } = await (await customer.graphql(`{ ${fields.join('\n')} }`)).json();
  const results = Object.values<{ found: boolean | null; problem: { code: string } | null }>(data);
  expect(results.filter(({ found }) => found).length).toBe(20);
  expect(results.slice(20).map(({ problem }) => problem?.code)).toEqual([
    'too_many_lookups',
    'too_many_lookups',
  ]);
  expect(await used()).toBe(prices.object(20));
});

it('a client that disconnects pays for what was answered or sent', async () => {
  registry.on('ip/8.6.0.1', hang());
  const controller = new AbortController();
  const query = '{ a: ip(address: "8.8.3.1") { found } b: ip(address: "8.6.0.1") { found } }';
  const call = customer.post('/graphql', { query }, {}, controller.signal);
  await registry.whenRequested('ip/8.6.0.1');
  controller.abort();
  await expect(call).rejects.toThrow();
  await expect.poll(() => metered.openReservations()).toBe(0);
  expect(await used()).toBe(prices.object(2));
});
