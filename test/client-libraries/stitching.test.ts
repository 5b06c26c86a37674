import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Executor } from '@graphql-tools/utils';
import type * as stitchModule from '@graphql-tools/stitch';
import type * as graphqlModule from 'graphql';
import type * as yogaModule from 'graphql-yoga';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';

// Two forms of graphql do not work together.
const require = createRequire(import.meta.url);
const { buildSchema, GraphQLSchema } = require('graphql') as typeof graphqlModule;
const { stitchSchemas } = require('@graphql-tools/stitch') as typeof stitchModule;
const { createYoga } = require('graphql-yoga') as typeof yogaModule;

const spellings = ['taken.test', 'TAKEN.test', 'idea.test', 'down.test', 'a b'];
const customers = buildSchema(
  'type Query { customers: [Domain!]! } type Domain { domain: String! }',
);

let gateway: Gateway;
let ask: (query: string) => Promise<unknown>;
beforeAll(async () => {
  gateway = await createGateway({ STORE_URL: 'memory:', LOG_LEVEL: 'silent' });
  const executor = gateway.execute as unknown as Executor;
  const schema = stitchSchemas({
    subschemas: [
      {
        schema: buildSchema(readFileSync('schema/schema.graphql', 'utf8')),
        executor,
        // As in docs/npm-package.md.
        merge: {
          Domain: {
            selectionSet: '{ domain }',
            fieldName: '_entities',
            key: ({ domain }: { domain: string }) => ({ __typename: 'Domain', domain }),
            argsFromKeys: (representations) => ({ representations }),
          },
        },
      },
      {
        schema: customers,
        executor: (() => ({
          data: { customers: spellings.map((domain) => ({ domain, __typename: 'Domain' })) },
        })) as unknown as Executor,
      },
    ],
  });
  expect(schema).toBeInstanceOf(GraphQLSchema);
  const yoga = createYoga({ schema, logging: false });
  ask = async (query) => {
    const response = await yoga.fetch('http://yoga/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };
});
afterAll(() => gateway.close());

it('merges each name with its own row, also if spellings are the same name', async () => {
  expect(await ask('{ customers { domain status available inputs } }')).toEqual({
    data: {
      customers: [
        ['taken.test', 'REGISTERED', false],
        ['TAKEN.test', 'REGISTERED', false],
        ['idea.test', 'AVAILABLE', true],
        ['down.test', 'UNKNOWN', null],
        ['a b', 'INVALID', null],
      ].map(([domain, status, available]) => ({ domain, status, available, inputs: [domain] })),
    },
  });
});

it('passes the code of a problem through a server on another copy of graphql', async () => {
  expect(await ask('{ domain(name: "bad name") { domain } }')).toMatchObject({
    errors: [{ extensions: { code: 'invalid_name' } }],
  });
});
