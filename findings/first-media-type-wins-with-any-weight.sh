#!/usr/bin/env bash
# A GraphQL server answers with the media type that the client wants least.
#
# Version: graphql-http 1.23.1, graphql-yoga 5.24.1, with graphql 16.15.0
# Behavior: of `application/json;q=0.1, application/graphql-response+json`, both take the first type that they
#   know. The weight is not read.
# Expected: `application/graphql-response+json`, whose weight is 1. The order of the types has no meaning. GraphQL
#   over HTTP requires a server to use the type with the highest priority.
# Why it matters: the type decides the status. An invalid operation is answered with 200 instead of 400, so
#   clients, caches and monitors that asked for the status do not see the failure.
# Output: graphql-http: 200 application/json graphql-yoga: 200 application/json without the first type: 400, 400
# Source: https://github.com/graphql/graphql-over-http/blob/main/spec/GraphQLOverHTTP.md ("MUST respect the given
#   `Accept` header"); RFC 9110, section 12.4.2, https://www.rfc-editor.org/rfc/rfc9110.html#section-12.4.2
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent graphql-http@1.23.1 graphql-yoga@5.24.1 graphql@16.15.0 >>npm.log

cat >finding.mjs <<'JS'
import { buildSchema } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/fetch';
import { createYoga } from 'graphql-yoga';

const schema = buildSchema('type Query { name: String }');
const handler = createHandler({ schema });
const yoga = createYoga({ schema, logging: false });

/** Returns the response of a server to an operation that is not valid. */
const responseOf = (server, accept) =>
  server(
    new Request('http://server.example/graphql', {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ unknown }' }),
    }),
  );

const preferred = 'application/graphql-response+json';
const results = [];
const statuses = [];
for (const [name, server] of Object.entries({ 'graphql-http': handler, 'graphql-yoga': yoga.fetch })) {
  const response = await responseOf(server, `application/json;q=0.1, ${preferred}`);
  const [type] = response.headers.get('content-type').split(';');
  results.push(`${name}: ${response.status} ${type}`);
  statuses.push((await responseOf(server, preferred)).status);
}
const seen = `${results.join(' ')} without the first type: ${statuses.join(', ')}`;
console.log(seen);
const expected =
  'graphql-http: 200 application/json graphql-yoga: 200 application/json without the first type: 400, 400';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
