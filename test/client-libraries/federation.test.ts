import { createRequire } from 'node:module';
import type * as apollo from '@apollo/composition';
import { ApolloGateway, IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import type * as graphqlModule from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { prices } from '../../src/execution/charging/prices.ts';
import {
  longTimeouts,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../support/gateways/metered-gateway.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { autnum, network } from '../support/bodies/registry-objects.ts';
import { registered } from '../support/bodies/replies.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startCustomersSubgraph, type CustomersSubgraph } from './customers-subgraph.ts';
import { codeBlocksIn, guideText } from '../support/checks/guides.ts';
import { constantInGuide } from './guide-program.ts';

// Apollo's packages require the CommonJS form, and two forms of graphql do not work together.
const require = createRequire(import.meta.url);
const { parse } = require('graphql') as typeof graphqlModule;
const { composeServices } = require('@apollo/composition') as typeof apollo;

let objects: FakeRegistry;
let metered: MeteredGateway;
let crm: CustomersSubgraph;
let customer: Customer;
let router: ApolloGateway;
let executor: Awaited<ReturnType<ApolloGateway['load']>>['executor'];
/** What the router has sent to the gateway. */
const sent: string[] = [];

class RecordingDataSource extends RemoteGraphQLDataSource {
  override process(options: Parameters<RemoteGraphQLDataSource['process']>[0]) {
    if (this.url?.startsWith(metered.gateway.url)) sent.push(options.request.query ?? '');
    return super.process(options);
  }
}

beforeAll(async () => {
  objects = await startFakeRegistry();
  objects.on(/^ip\//, network('8.8.0.0', '8.8.255.255'));
  objects.on(/^autnum\//, autnum(64300));
  metered = await startMeteredGateway({
    objects: { ipv4: { '8.0.0.0/8': objects.baseUrl }, asn: { '64300-64310': objects.baseUrl } },
    env: longTimeouts,
  });
  metered.registry.on(/^taken/, ({ name }) =>
    registered(name, { expiresAt: '2031-01-01T00:00:00Z' }),
  );
  customer = await metered.newCustomer();
  crm = await startCustomersSubgraph();
  router = constantInGuide(
    'gateway',
    {
      ApolloGateway,
      IntrospectAndCompose,
      RemoteGraphQLDataSource: RecordingDataSource,
      process: { env: { RDAP_GATEWAY_KEY: customer.key } },
    },
    { 'http://127.0.0.1:4000': metered.gateway.url, 'http://127.0.0.1:5000/graphql': crm.url },
  );
  ({ executor } = await router.load());
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(async () => {
  await router?.stop();
  await crm?.[Symbol.asyncDispose]();
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
  const { used } = await customer.balance();
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
  expect([(await customer.balance()).used - used, metered.openReservations()]).toEqual([
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

it('composes by the configuration of Apollo Router in the guide', async () => {
  const [supergraph, configuration] = codeBlocksIn(guideText('federation'))
    .filter(({ heading, language }) => heading === 'Apollo Router' && language === 'yaml')
    .map(({ code }) => parseYaml(code) as Json);
  const subgraphs = Object.entries<Json>(supergraph?.subgraphs).map(async ([name, subgraph]) => {
    const { subgraph_url, introspection_headers = {} } = subgraph.schema;
    const response = await fetch(localAddress(subgraph_url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(
          Object.entries(introspection_headers).map(([header, value]) => [
            header,
            value === '${env.RDAP_GATEWAY_KEY}' ? customer.key : '',
          ]),
        ),
      },
      body: JSON.stringify({ query: '{ service: _service { sdl } }' }),
    });
    const { data } = (await response.json()) as Json;
    return { name, url: subgraph.routing_url, typeDefs: parse(data.service.sdl) };
  });
  const { errors, supergraphSdl } = composeServices((await Promise.all(subgraphs)) as never);
  expect(errors).toBeUndefined();
  for (const [name, { routing_url }] of Object.entries<Json>(supergraph?.subgraphs))
    expect(supergraphSdl).toContain(`@join__graph(name: "${name}", url: "${routing_url}")`);
  expect(supergraphSdl).toMatch(/@cost\(weight: \d+\)/);
  // Only the subgraph of the gateway gets the key.
  expect(Object.keys(configuration?.headers.subgraphs)).toEqual(['domains']);
  expect(configuration?.headers.subgraphs.domains.request).toEqual([
    { propagate: { named: 'x-api-key' } },
  ]);
});

/** Returns an address of the guide as that of a server of this test. */
function localAddress(url: string): string {
  return url
    .replace('http://127.0.0.1:4000', metered.gateway.url)
    .replace('http://127.0.0.1:5000/graphql', crm.url);
}
