#!/usr/bin/env bash
# cspell:ignore axios
# A response that is immutable for a minute is reused for a year.
#
# Version: axios-cache-interceptor 1.12.3 with axios 1.21.1
# Behavior: `max-age=60, immutable` is stored for 31536000 seconds. `immutable` is read before `max-age`, which
#   then has no effect.
# Expected: 60 seconds, as without the directive. RFC 8246 makes a promise about the freshness lifetime only, and
#   leaves that lifetime to `max-age`, as the documentation of http-cache-semantics says, too.
# Why it matters: `immutable` saves requests on reload for any lifetime, and frameworks let one set both. The
#   server changes the resource after a minute as announced, and clients with this package show the old one
#   until they restart, or for a year if their storage is persistent.
# Output: max-age=60: 60 s; max-age=60, immutable: 31536000 s
# Source: RFC 8246, section 2, https://www.rfc-editor.org/rfc/rfc8246.html#section-2;
#   https://github.com/kornelski/http-cache-semantics#readme (`immutableMinTimeToLive`);
#   https://github.com/pillarjs/send/pull/140 (why Express offers both)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent axios-cache-interceptor@1.12.3 axios@1.21.1 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:http';
import axios from 'axios';
import { setupCache } from 'axios-cache-interceptor';

/** Returns for how many seconds the client stores a response with this Cache-Control. */
async function secondsFor(cacheControl) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'cache-control': cacheControl }).end('{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = setupCache(axios.create());
  const { id } = await client.get(`http://127.0.0.1:${server.address().port}/`);
  const { ttl } = await client.storage.get(id);
  server.closeAllConnections();
  server.close();
  return `${cacheControl}: ${ttl / 1000} s`;
}

const seen = `${await secondsFor('max-age=60')}; ${await secondsFor('max-age=60, immutable')}`;
console.log(seen);
process.exitCode = seen === 'max-age=60: 60 s; max-age=60, immutable: 31536000 s' ? 0 : 1;
JS
node finding.mjs
