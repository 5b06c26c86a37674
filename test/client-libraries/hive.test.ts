import { createRequire } from 'node:module';
import { createGatewayRuntime, type GatewayConfigSupergraph } from '@graphql-hive/gateway-runtime';
import * as http from '@graphql-mesh/transport-http';
import { composeServices } from '@theguild/federation-composition';
import type * as graphqlModule from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import {
  longTimeouts,
  startMeteredGateway,
  type Customer,
} from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { eventsOf, remaining } from '../support/requests/streams.ts';
import { customersSdl, startCustomersSubgraph } from './customers-subgraph.ts';
import { constantInGuide } from './guide-program.ts';

// Two forms of graphql do not work together.
const { parse } = createRequire(import.meta.url)('graphql') as typeof graphqlModule;

/** Hive's own function, of its command line, returns the configuration as it is. */
const defineConfig = (config: unknown) => config;

const metered = await forThisFile(startMeteredGateway, { env: longTimeouts });
metered.registry.on(/^taken/, ({ name }) => registered(name));
const customers = await forThisFile(startCustomersSubgraph);
const router = await forThisFile(startHive);

let customer: Customer;
beforeEach(async () => {
  customer = await metered.newCustomer();
});

async function startHive() {
  const composer = await metered.newCustomer();
  const response = await composer.graphql('{ service: _service { sdl } }');
  const { data } = (await response.json()) as Json;
  const url = `${metered.gateway.url}/graphql?subgraph=true`;
  const composed = composeServices([
    { name: 'domains', typeDefs: parse(data.service.sdl), url },
    { name: 'customers', typeDefs: parse(customersSdl), url: customers.url },
  ] as never);
  return createGatewayRuntime({
    ...constantInGuide<Partial<GatewayConfigSupergraph>>('gatewayConfig', { defineConfig }),
    supergraph: composed.supergraphSdl ?? '',
    transports: { http } as never,
    logging: false,
  });
}

/** Sends an operation to the router. */
async function send(
  query: string,
  { variables = {}, accept = 'application/json', key = customer.key } = {},
): Promise<Response> {
  return router.fetch('http://hive.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(key && { 'x-api-key': key }) },
    body: JSON.stringify({ query, variables }),
  });
}

const ask = async (...operation: Parameters<typeof send>): Promise<Json> =>
  (await send(...operation)).json();
const used = async () => (await customer.balance()).used;
const codesOf = ({ errors }: Json) =>
  new Set(errors?.map(({ extensions }: Json) => extensions.code));

describe('references of another subgraph', () => {
  it('resolve as one batch, with the key of the caller, which no other subgraph gets', async () => {
    const { data, errors } = await ask(
      '{ customers(count: 300) { domain { domain registration { __typename } } tld { label } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.customers.length).toBe(300);
    expect(data.customers[299]).toEqual({
      domain: { domain: 'taken299.example', registration: { __typename: 'RdapRegistration' } },
      tld: { label: 'example' },
    });
    expect([await used(), metered.openReservations()]).toEqual([prices.record(300), 0]);
    expect(customers.headers.filter((headers) => 'x-api-key' in headers)).toEqual([]);
  });

  it.each([
    ['too_many_lookups', 600, undefined],
    ['invalid_api_key', 2, 'wrong'],
    ['missing_api_key', 2, ''],
  ])('stay rows of a list if they are refused: %s', async (code, count, key) => {
    const result = await ask(`{ customers(count: ${count}) { id domain { status } } }`, {
      ...(key !== undefined && { key }),
    });
    expect(codesOf(result)).toEqual(new Set([code]));
    expect(result.data.customers.length).toBe(count);
    expect(result.data.customers[1]).toEqual({ id: '1', domain: null });
    expect(await used()).toBe(0);
  });
});

it('passes the code of a problem on', async () => {
  const { errors } = await ask('{ domain(name: "bad name") { domain } }');
  expect(errors).toMatchObject([{ extensions: { code: 'invalid_name', param: 'name' } }]);
});

describe('a subscription', () => {
  const operation = `subscription ($names: [String!]!) {
    availability(domains: $names) { domain status }
  }`;

  it('of 500 long names is forwarded', async () => {
    const names = Array.from(
      { length: 500 },
      (_, index) => `taken-${'x'.repeat(40)}${index}.example`,
    );
    const accept = 'text/event-stream';
    const events = await remaining(
      eventsOf(await send(operation, { variables: { names }, accept })),
    );
    expect(events.at(-1)?.event).toBe('complete');
    const rows = events.slice(0, -1).map(({ data }) => data.data.availability);
    expect(new Set(rows.map(({ domain }) => domain))).toEqual(new Set(names));
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['REGISTERED']));
    expect(await used()).toBe(prices.list(500));
  });

  it('is refused in the multipart format of Apollo', async () => {
    const accept = 'multipart/mixed;subscriptionSpec=1.0';
    const { status } = await send(operation, { variables: { names: ['taken.example'] }, accept });
    expect(status).toBe(406);
  });
});

it.each([
  ['domain', 'status registration { handle }', prices.record(1)],
  ['domain status', 'registration { handle }', prices.single(1) + prices.record(1)],
])('defers, at the price of each part: %s, then %s', async (first, second, price) => {
  const response = await send(
    `{ domain(name: "taken.example") { ${first} ... @defer { ${second} } } }`,
    { accept: 'multipart/mixed' },
  );
  const parts = (await response.text()).match(/^\{.*\}$/gm) ?? [];
  expect(parts.map((part) => JSON.parse(part))).toMatchObject([
    { data: { domain: { domain: 'taken.example' } }, hasNext: true },
    {
      incremental: [{ path: ['domain'], data: { registration: { handle: 'FAKE-taken.example' } } }],
      hasNext: false,
    },
  ]);
  expect(await used()).toBe(price);
});

describe('demand control', () => {
  const list = 'domains(domains: ["taken.example"])';

  it.each([
    ['a name with everything', '{ domain(name: "taken.example") { status tls { __typename } } }'],
    ['a list of records', `{ ${list} { registration { handle } } }`],
    ['references, which count once', '{ customers(count: 300) { domain { status } } }'],
  ])('lets pass: %s', async (_, query) => {
    expect((await ask(query)).errors).toBeUndefined();
    expect(await used()).toBeGreaterThan(0);
  });

  it.each([
    ['a list with TLS', `{ ${list} { tls { __typename } } }`, 550],
    [
      'two lists',
      `{ ${list} { registration { handle } dns { __typename } technologies { __typename } } }`,
      300,
    ],
  ])('refuses before it is sent: %s', async (_, query, estimated) => {
    const before = metered.registry.requests.length;
    const { data, errors } = await ask(query);
    expect(data).toEqual({ domains: null });
    expect(errors).toMatchObject([
      { extensions: { code: 'COST_ESTIMATED_TOO_EXPENSIVE', cost: { estimated, max: 200 } } },
    ]);
    expect([await used(), metered.registry.requests.length]).toEqual([0, before]);
  });
});
