import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/metered-gateway.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { entity, network } from '../support/registry-objects.ts';

let registry: FakeRegistry;
let metered: MeteredGateway;
let customer: Customer;

/** Entities with one handle, of which no two are equal. */
const references = (handle: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    objectClassName: 'entity',
    handle,
    publicIds: [{ type: 'number', identifier: String(index) }],
  }));

beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on('entity/LOOP-EX', entity('LOOP-EX', { entities: references('LOOP-EX', 100) }));
  const remarks = [{ description: [Array(900).fill('x'.repeat(1000)).join('\n')] }];
  registry.on(
    'entity/LONG-EX',
    entity('LONG-EX', { entities: references('LONG-EX', 200), remarks }),
  );
  registry.on(/^ip\//, network('8.0.0.0', '8.255.255.255'));
  metered = await startMeteredGateway({
    objects: { ipv4: { '8.0.0.0/8': registry.baseUrl }, tags: { EX: registry.baseUrl } },
  });
});
beforeEach(async () => {
  customer = await metered.newCustomer();
});
afterAll(async () => {
  await metered[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const nested = (levels: number): string =>
  levels === 0 ? 'found' : `entities { entity { ${nested(levels - 1)} } }`;
const loop = (selection: string) => `{ entity(handle: "LOOP-EX") { ${selection} } }`;

describe('a response with too many values of objects', () => {
  it.each([
    ['entities that list themselves, on 3 levels', loop(nested(3))],
    ['the same, on 5 levels', loop(nested(5))],
    [
      'embedded entities under aliases',
      loop(
        `entities { entity { ${Array.from({ length: 40 }, (_, index) => `e${index}: entities { handle }`).join(' ')} } }`,
      ),
    ],
    [
      'the same fields under aliases, in merged fields',
      `{ ${Array.from({ length: 40 }, (_, index) => `entity(handle: "LOOP-EX") { entities { entity { entities { h${index}: handle } } } }`).join(' ')} }`,
    ],
    ['a long raw object', '{ entity(handle: "LONG-EX") { entities { entity { raw } } } }'],
    [
      'long remarks',
      '{ entity(handle: "LONG-EX") { entities { entity { remarks { description } } } } }',
    ],
  ])('is rejected without a charge: %s', async (_what, query) => {
    const response = await customer.graphql(query);
    const { data, errors } = await response.json();
    expect([response.status, data, errors[0].extensions.code, errors.length]).toEqual([
      400,
      undefined,
      'query_too_large',
      1,
    ]);
    expect([(await customer.balance()).used, metered.openReservations()]).toEqual([0, 0]);
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

it('an operation may return thousands of objects', async () => {
  const response = await customer.graphql(loop(nested(2)));
  const { data, errors } = await response.json();
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data).match(/"found":true/g)).toHaveLength(10_000);
});
