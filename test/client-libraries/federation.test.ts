import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ApolloGateway, IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type * as graphqlModule from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { prices } from '../../src/execution/prices.ts';
import {
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/metered-gateway.ts';
import type { Json } from '../support/gateway.ts';
import { autnum, network } from '../support/registry-objects.ts';
import { registered } from '../support/replies.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';

// Apollo's packages require the CommonJS form, and two forms of graphql do not work together.
const { graphql, parse } = createRequire(import.meta.url)('graphql') as typeof graphqlModule;

/** A second subgraph: it knows customers and the names of what they have, and nothing else. */
const customers = buildSubgraphSchema([
  {
    typeDefs: parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type Query { customers(count: Int!): [Customer!]! }
    type Customer @key(fields: "id") {
      id: ID!
      domain: Domain!
      tld: Tld!
      network: IpNetwork!
      autnum: Autnum!
    }
    type Domain @key(fields: "domain", resolvable: false) { domain: String! }
    type Tld @key(fields: "label", resolvable: false) { label: String! }
    type IpNetwork @key(fields: "startAddress", resolvable: false) { startAddress: String }
    type Autnum @key(fields: "startNumber", resolvable: false) { startNumber: Int! }
  `),
    resolvers: {
      Query: {
        customers: (_root: unknown, { count }: { count: number }) =>
          Array.from({ length: count }, (_, id) => ({
            id,
            domain: { domain: `taken${id}.example` },
            tld: { label: 'example' },
            network: { startAddress: '8.8.0.0' },
            autnum: { startNumber: 64300 },
          })),
      },
    },
  },
]);

async function serve(schema: graphqlModule.GraphQLSchema) {
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request));
    const result = await graphql({ schema, source: query, variableValues: variables });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

let objects: FakeRegistry;
let metered: MeteredGateway;
let crm: Awaited<ReturnType<typeof serve>>;
let customer: Customer;
let router: ApolloGateway;
let executor: Awaited<ReturnType<ApolloGateway['load']>>['executor'];
/** What the router has sent to the gateway. */
const sent: string[] = [];

beforeAll(async () => {
  objects = await startFakeRegistry();
  objects.on(/^ip\//, network('8.8.0.0', '8.8.255.255'));
  objects.on(/^autnum\//, autnum(64300));
  metered = await startMeteredGateway({
    objects: { ipv4: { '8.0.0.0/8': objects.baseUrl }, asn: { '64300-64310': objects.baseUrl } },
  });
  metered.registry.on(/^taken/, ({ name }) =>
    registered(name, { expiresAt: '2031-01-01T00:00:00Z' }),
  );
  customer = await metered.newCustomer();
  crm = await serve(customers);
  const headersFor = ({ name }: { name: string }): Record<string, string> =>
    name === 'domains' ? { 'X-API-Key': customer.key } : {};
  // The schema of each subgraph is what it returns to `_service { sdl }`.
  router = new ApolloGateway({
    supergraphSdl: new IntrospectAndCompose({
      subgraphs: [
        { name: 'domains', url: `${metered.gateway.url}/graphql?subgraph=true` },
        { name: 'customers', url: crm.url },
      ],
      introspectionHeaders: headersFor,
    }),
    buildService: ({ name, url = '' }) =>
      new RemoteGraphQLDataSource({
        url,
        willSendRequest({ request }) {
          for (const [header, value] of Object.entries(headersFor({ name })))
            request.http?.headers.set(header, value);
          if (name === 'domains') sent.push(request.query ?? '');
        },
      }),
  });
  ({ executor } = await router.load());
});
beforeEach(async () => {
  customer = await metered.newCustomer();
  sent.length = 0;
});
afterAll(async () => {
  await router?.stop();
  crm?.close();
  await metered?.[Symbol.asyncDispose]();
  await objects?.[Symbol.asyncDispose]();
});

async function askRouter(source: string, variables?: Json): Promise<Json> {
  const context = {
    document: parse(source),
    request: { query: source, variables },
    context: {},
    metrics: {},
    schema: undefined,
    overallCachePolicy: { maxAge: 0 },
    queryHash: source,
    cache: { get: async () => undefined, set: async () => undefined, delete: async () => true },
    logger: console,
  };
  return (await executor(context as unknown as Parameters<typeof executor>[0])) as Json;
}

it('composes a graph with another subgraph, which leads from its data to registrations', async () => {
  const { data, errors } = await askRouter(`{
    customers(count: 1) {
      domain { domain available registration { expiresAt } }
      tld { label sources { source } }
      network { name cidr }
      autnum { name }
    }
  }`);
  expect(errors).toBeUndefined();
  expect(data.customers).toEqual([
    {
      domain: {
        domain: 'taken0.example',
        available: false,
        registration: { expiresAt: '2031-01-01T00:00:00.000Z' },
      },
      tld: { label: 'example', sources: [{ source: 'rdap' }] },
      network: { name: 'EXAMPLE-NET', cidr: ['8.8.0.0/16'] },
      autnum: { name: 'EXAMPLE-AS' },
    },
  ]);
});

it('sends 500 references as one request, which is one batch with one price', async () => {
  const before = metered.registry.requests.length;
  const { data, errors } = await askRouter(
    '{ customers(count: 500) { domain { status registration { expiresAt } } } }',
  );
  expect(errors).toBeUndefined();
  expect(data.customers.length).toBe(500);
  expect(new Set(data.customers.map(({ domain }: Json) => domain.status))).toEqual(
    new Set(['REGISTERED']),
  );
  expect(sent).toEqual([expect.stringContaining('_entities')]);
  const names = metered.registry.requests.slice(before).map(({ name }) => name);
  expect(names.length).toBe(new Set(names).size);
  expect([(await customer.balance()).used, metered.openReservations()]).toEqual([
    prices.record(500),
    0,
  ]);
});

it('resolves the fields of the gateway itself, and the names of its types', async () => {
  const query = `query ($by: RdapDomainsBy) {
    domain(name: "taken.test") { status registration { __typename ... on RdapRegistration { handle } } }
    domains(by: $by) { __typename problem { __typename } }
    customers(count: 1) { domain { registration { __typename } } }
  }`;
  const { data, errors } = await askRouter(query, { by: { names: ['down.test'] } });
  const registration = { __typename: 'RdapRegistration' };
  expect([errors, data]).toMatchObject([
    undefined,
    {
      domain: { status: 'REGISTERED', registration },
      domains: [{ __typename: 'Domain', problem: { __typename: 'RdapLookupProblem' } }],
      customers: [{ domain: { registration } }],
    },
  ]);
});
