#!/usr/bin/env bash
# Type merging gives a row the fields of another row if a list is shorter than its keys
# (@graphql-tools/stitch 10.3.1 with graphql 16.15.0).
#
# Behavior: with `key` and `argsFromKeys`, the n-th object of the answer is merged into the n-th row,
# whatever its key field says. If the service answers two spellings of one name once, every later row
# gets the fields of its neighbor, and the last one none; there is no error.
# A good guess: objects are matched by the key field, which the merge selects (`selectionSet`), or a
# list of another length is refused. So a service whose lists have distinct rows is merged wrongly.
# Seen: a=fact of a, A=fact of b, b=null; "A" is another spelling of "a" for this service.
# Source: https://www.npmjs.com/package/@graphql-tools/stitch (merging of arrays by `argsFromKeys`,
# which relies on one entry for each key in the same order and does not check it).
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent graphql@16.15.0 @graphql-tools/stitch@10.3.1 @graphql-tools/schema@10.0.25 >>npm.log

cat >finding.mjs <<'JS'
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { graphql } = require('graphql');
const { makeExecutableSchema } = require('@graphql-tools/schema');
const { stitchSchemas } = require('@graphql-tools/stitch');

const shop = makeExecutableSchema({
  typeDefs: 'type Query { rows: [Item!]! } type Item { name: ID! }',
  resolvers: { Query: { rows: () => ['a', 'A', 'b'].map((name) => ({ name })) } },
});
const facts = makeExecutableSchema({
  typeDefs: 'type Query { items(names: [ID!]!): [Item]! } type Item { name: ID! fact: String }',
  resolvers: {
    Query: {
      items: (_root, { names }) =>
        [...new Set(names.map((name) => name.toLowerCase()))].map((name) => ({
          name,
          fact: `fact of ${name}`,
        })),
    },
  },
});
const merge = {
  Item: {
    selectionSet: '{ name }',
    fieldName: 'items',
    key: ({ name }) => name,
    argsFromKeys: (names) => ({ names }),
  },
};
const schema = stitchSchemas({ subschemas: [{ schema: shop }, { schema: facts, merge }] });
const { data, errors } = await graphql({ schema, source: '{ rows { name fact } }' });
const seen = data.rows.map(({ name, fact }) => `${name}=${fact}`).join(', ');
console.log(seen, errors ? 'with errors' : 'without errors');
process.exitCode = seen === 'a=fact of a, A=fact of b, b=null' && !errors ? 0 : 1;
JS
node finding.mjs
