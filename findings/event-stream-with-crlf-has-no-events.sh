#!/usr/bin/env bash
# cspell:ignore starlette urql
# An event stream whose lines end in CR LF has no events.
#
# Version: @urql/core 6.0.3 with graphql 16.15.0
# Behavior: the client looks for two line feeds between events. A stream with CR LF has none, and ends
#   with the error "No Content" instead of results.
# Expected: both streams are equal. HTML lets lines end in CR LF, LF or CR, and browsers read all three.
# Why it matters: CR LF is the default of sse-starlette, a common library of servers in Python. No result
#   of such a server arrives, however long the subscription runs, and "No Content" blames the server.
# Output: LF=1 CRLF=[Network] No Content
# Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream;
#   https://github.com/binaryminds/react-native-sse/issues/41 (sse-starlette with another client)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent @urql/core@6.0.3 graphql@16.15.0 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:http';
import { Client, fetchExchange, gql } from '@urql/core';

const stream = 'event: next\ndata: {"data":{"count":1}}\n\nevent: complete\ndata:\n\n';
const server = createServer(({ url }, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(url.startsWith('/crlf') ? stream.replaceAll('\n', '\r\n') : stream);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

/** Returns the count, or the error, of the first result at the path. */
function firstResultAt(path) {
  const url = `http://127.0.0.1:${server.address().port}${path}`;
  const client = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true });
  return new Promise((resolve) => {
    client
      .subscription(gql('subscription { count }'), {})
      .subscribe(({ data, error }) => resolve(data?.count ?? error?.message));
  });
}

const seen = `LF=${await firstResultAt('/lf')} CRLF=${await firstResultAt('/crlf')}`;
server.closeAllConnections();
server.close();
console.log(seen);
process.exitCode = seen === 'LF=1 CRLF=[Network] No Content' ? 0 : 1;
JS
node finding.mjs
