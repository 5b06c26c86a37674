import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type * as graphqlModule from 'graphql';

// Apollo's packages require the CommonJS form, and two forms of graphql do not work together.
const { graphql, parse } = createRequire(import.meta.url)('graphql') as typeof graphqlModule;

/** The entities of the gateway, as another subgraph refers to them. */
export const referencedTypes = `
  type Domain @key(fields: "domain", resolvable: false) { domain: String! }
  type Tld @key(fields: "label", resolvable: false) { label: String! }
  type IpNetwork @key(fields: "startAddress", resolvable: false) { startAddress: String }
  type Autnum @key(fields: "startNumber", resolvable: false) { startNumber: Int! }
`;

/** The schema of a second subgraph, which knows customers and the names of what they have. */
export const customersSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { customers(count: Int!): [Customer!]! }
  type Customer @key(fields: "id") {
    id: ID!
    domain: Domain
    tld: Tld
    network: IpNetwork
    autnum: Autnum
  }
${referencedTypes}`;

const schema = buildSubgraphSchema([
  {
    typeDefs: parse(customersSdl),
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

/** A running subgraph with the headers of each request, by lower-case names. */
export interface CustomersSubgraph extends AsyncDisposable {
  readonly url: string;
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
}

/** Serves the second subgraph on a port. */
export async function startCustomersSubgraph(): Promise<CustomersSubgraph> {
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    const { query, variables } = JSON.parse(await text(request));
    const result = await graphql({ schema, source: query, variableValues: variables });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
