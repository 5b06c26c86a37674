import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { costIn, startMeteredGateway, type Customer } from '../support/gateways/metered-gateway.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { entity, network } from '../support/bodies/registry-objects.ts';
import { registered } from '../support/bodies/replies.ts';

let customer: Customer;

/** Entities with one handle, of which no two are equal. */
const references = (handle: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    objectClassName: 'entity',
    handle,
    publicIds: [{ type: 'number', identifier: String(index) }],
  }));

const registry = await forThisFile(startFakeRegistry);
registry.on('entity/LOOP-EX', entity('LOOP-EX', { entities: references('LOOP-EX', 100) }));
const remarks = [{ description: [Array(900).fill('x'.repeat(1000)).join('\n')] }];
registry.on('entity/LONG-EX', entity('LONG-EX', { entities: references('LONG-EX', 200), remarks }));
registry.on(/^ip\//, network('8.0.0.0', '8.255.255.255'));
const metered = await forThisFile(startMeteredGateway, {
  objects: { ipv4: { '8.0.0.0/8': registry.baseUrl }, tags: { EX: registry.baseUrl } },
});

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const nested = (levels: number): string =>
  levels === 0 ? 'found' : `entities { entity { ${nested(levels - 1)} } }`;
const loop = (selection: string) => `{ entity(handle: "LOOP-EX") { ${selection} } }`;

describe('a response with too many values of objects', () => {
  it.each(
    Object.entries({
      'entities that list themselves, on 3 levels': loop(nested(3)),
      'the same, on 5 levels': loop(nested(5)),
      'embedded entities under aliases': loop(
        `entities { entity { ${Array.from({ length: 40 }, (_, index) => `e${index}: entities { handle }`).join(' ')} } }`,
      ),
      'the same fields under aliases, in merged fields': `{ ${Array.from({ length: 40 }, (_, index) => `entity(handle: "LOOP-EX") { entities { entity { entities { h${index}: handle } } } }`).join(' ')} }`,
      'a long raw object': '{ entity(handle: "LONG-EX") { entities { entity { raw } } } }',
      'long remarks':
        '{ entity(handle: "LONG-EX") { entities { entity { remarks { description } } } } }',
    }),
  )('is rejected, and charged for the objects that were looked up: %s', async (_what, query) => {
    const response = await customer.graphql(query);
    const { data, errors } = await response.json();
    expect(response.status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors[0].extensions.code).toBe('query_too_large');
    expect(errors.length).toBe(1);
    // The entity is looked up by its handle, and at the server that lists it.
    const { used } = await customer.balance();
    expect([used, costIn(response).charged]).toEqual([prices.object(2), prices.object(2)]);
    expect(metered.openReservations()).toBe(0);
  });

  it('is rejected with @defer', async () => {
    const deferred = `{ entity(handle: "LOOP-EX") { found ... @defer { ${nested(4)} } } }`;
    const response = await customer.graphql(deferred, {}, { accept: 'text/event-stream' });
    const text = await response.text();
    expect(text).toContain('"found":true');
    expect(text).toContain('"code":"query_too_large"');
    expect(text.length).toBeLessThan(5000);
    await expect.poll(() => metered.openReservations()).toBe(0);
  });
});

it('an operation with too many values sends no further lookups, and is charged for those sent', async () => {
  await using limited = await startMeteredGateway({
    env: { RDAP_CONCURRENCY: '2', QUEUE_TIMEOUT_MS: '60000' },
    objects: { ipv4: { '8.0.0.0/8': registry.baseUrl } },
  });
  const addresses = Array.from({ length: 200 }, (_, index) => `8.0.1.${index + 1}`);
  const nameservers = [{ ldhName: 'ns1.many.example', ipAddresses: { v4: addresses } }];
  limited.registry.on('many.example', registered('many.example', { members: { nameservers } }));
  const entities = references('HOLDER-EX', 200);
  registry.on(/^ip\/8\.0\.1\./, ({ name }) => network(name.slice(3), name.slice(3), { entities }));
  const copies = ['a', 'b', 'c', 'd'].map((alias) => `${alias}: entities { handle }`).join(' ');
  const payer = await limited.newCustomer();
  const before = registry.requests.length;
  const response = await payer.graphql(
    `{ domain(name: "many.example") { rdap { hosts { addresses { network { ${copies} } } } } } }`,
  );
  expect((await response.json()).errors[0].extensions.code).toBe('query_too_large');
  const sent = registry.requests.length - before;
  expect(sent).toBeLessThan(50);
  expect((await payer.balance()).used).toBe(prices.record(1) + prices.object(sent));
  expect([registry.requests.length - before, limited.openReservations()]).toEqual([sent, 0]);
});

it('other requests are served while an operation returns many stored records', async () => {
  metered.registry.on(/^turn/, ({ name }) =>
    registered(name, { members: { entities: references('HOLDER-EX', 100) } }),
  );
  const domains = Array.from({ length: 300 }, (_, index) => `turn${index}.example`);
  const query =
    'query ($domains: [String!]) { domains(domains: $domains) { rdap { entities { handle roles publicIds { identifier } } } } }';
  await (await customer.graphql(query, { domains })).text();
  const progress = { isComplete: false, answered: 0 };
  const response = customer.graphql(query, { domains }).finally(() => (progress.isComplete = true));
  while (!progress.isComplete) {
    await (await metered.gateway.fetch('/health')).text();
    if (!progress.isComplete) progress.answered += 1;
  }
  expect((await (await response).json()).errors).toBeUndefined();
  expect(progress.answered).toBeGreaterThan(10);
});

it('an operation may return thousands of objects', async () => {
  const response = await customer.graphql(loop(nested(2)));
  const { data, errors } = await response.json();
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data).match(/"found":true/g)).toHaveLength(10_000);
});
