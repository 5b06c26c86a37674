import { createRequire } from 'node:module';
import type * as apollo from '@apollo/composition';
import { composeSubgraphs } from '@graphql-mesh/fusion-composition';
import { composeServices } from '@theguild/federation-composition';
import type * as graphqlModule from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { referencedTypes } from './customers-subgraph.ts';

// Apollo's packages require the CommonJS form, and two forms of graphql do not work together.
const require = createRequire(import.meta.url);
const { buildASTSchema, parse } = require('graphql') as typeof graphqlModule;
const composeWithApollo = require('@apollo/composition') as typeof apollo;

const gateway = await forThisFile(startGateway);

/** Types that other companies have, with fields of their own. */
const names =
  'Account Attempt Caution Change Contact Dns Entity Event Evidence Host Link Nameserver Offer Page Price Redirect Registrar Registration Remark Robots Site Technology Tls Watch Webhook'.split(
    ' ',
  );

/** Another subgraph, which has all names that it may have, and refers to the entities. */
const other = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  interface Node { id: ID! }
  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    account: Account
    page(id: ID!): Page
    site: Site
    entity: Entity
    changes: [Change!]!
    orders(confirm: Confirm, phase: Phase): OrderConnection!
  }
  type Mutation { watch(id: ID!): Watch }
  type OrderConnection { nodes: [Order!]! pageInfo: PageInfo! }
  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
  enum Confirm { YES NO }
  enum Phase { ONE TWO }
  enum Certainty { LOW HIGH }
  scalar DateTime
  scalar JSON
  type Order implements Node @key(fields: "id") {
    id: ID!
    at: DateTime
    certainty: Certainty
    domain: Domain
    tld: Tld
    network: IpNetwork
    autnum: Autnum
  }
  ${referencedTypes}
  ${names.map((name) => `type ${name} implements Node @key(fields: "id") { id: ID! own${name}: Int! }`).join('\n')}`;

let sdl: string;
beforeAll(async () => {
  const { data } = await gateway.graphql('{ service: _service { sdl } }');
  sdl = data.service.sdl;
});

const subgraphs = () =>
  Object.entries({ domains: sdl, orders: other }).map(([name, text]) => ({
    name,
    typeDefs: parse(text),
    url: `http://${name}.test/`,
  }));

interface Composed {
  readonly errors?: readonly { readonly message: string }[] | undefined;
  readonly supergraphSdl?: string | undefined;
}

/** By their packages. */
const libraries: Readonly<Record<string, () => Composed>> = {
  '@apollo/composition': () => composeWithApollo.composeServices(subgraphs() as never),
  '@theguild/federation-composition': () => composeServices(subgraphs() as never),
  '@graphql-mesh/fusion-composition': () =>
    composeSubgraphs(
      subgraphs().map(({ typeDefs, ...subgraph }) => ({
        ...subgraph,
        schema: buildASTSchema(typeDefs, { assumeValid: true, assumeValidSDL: true }),
      })) as never,
    ),
};

describe('the subgraph', () => {
  it.each(Object.keys(libraries))('composes with one of the same names: %s', (library) => {
    const { errors = [], supergraphSdl = '' } = libraries[library]?.() ?? {};
    expect(errors.map(({ message }) => message)).toEqual([]);
    for (const name of [...names, 'RdapRegistration', 'Order'])
      expect(supergraphSdl).toMatch(new RegExp(`^type ${name}\\b`, 'm'));
    expect(supergraphSdl).toMatch(/@cost\(weight: \d+\)/);
  });
});
