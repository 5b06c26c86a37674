#!/usr/bin/env bash
# cspell:ignore urql
# The last event of a subscription over HTTP arrives twice.
#
# Version: @urql/core 6.0.3 with graphql 16.15.0
# Behavior: when the server ends the stream, the result of the last event is emitted again, with
#   `hasNext: false`. Multipart responses behave alike.
# Expected: one result for each event, and then the end of the subscription.
# Why it matters: whoever counts, adds up or appends results has one too many, and sees it only with a
#   server that ends its streams.
# Output: 1,2,2 for 1,2
# Source: https://github.com/graphql/graphql-over-http/blob/main/rfcs/GraphQLOverSSE.md ("next" and
#   "complete"); `parseEventStream` in packages/core/src/internal/fetchSource.ts of
#   https://github.com/urql-graphql/urql; its documentation does not mention it.
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent @urql/core@6.0.3 graphql@16.15.0 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:http';
import { Client, fetchExchange, gql } from '@urql/core';

const events = [1, 2].map((number) => `event: next\ndata: {"data":{"count":${number}}}\n\n`);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${events.join('')}event: complete\ndata:\n\n`);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new Client({
  url: `http://127.0.0.1:${server.address().port}/`,
  exchanges: [fetchExchange],
  fetchSubscriptions: true,
});

const counts = [];
await new Promise((resolve) => {
  client.subscription(gql('subscription { count }'), {}).subscribe(({ data, hasNext }) => {
    counts.push(data?.count);
    if (!hasNext) resolve();
  });
});
server.closeAllConnections();
server.close();
const seen = `${counts} for 1,2`;
console.log(seen);
process.exitCode = seen === '1,2,2 for 1,2' ? 0 : 1;
JS
node finding.mjs
