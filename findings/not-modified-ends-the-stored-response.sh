#!/usr/bin/env bash
# cspell:ignore undici
# A 304 removes the response that it confirms.
#
# Version: undici 7.30.2
# Behavior: with the cache interceptor, a 304 with `Cache-Control` is answered from the cache, and then the stored
#   response is deleted. The next request has no `If-None-Match` and transfers everything again.
# Expected: one 200, and a 304 for each later request. RFC 9111 updates the stored response with the header fields
#   of the 304, which is fresh again if they say so.
# Why it matters: RFC 9110 requires a 304 to repeat `Cache-Control`, so servers that follow it are affected, and a
#   304 without it works. Every second request is answered in full, and callers see 200 either way.
# Output: without Cache-Control in the 304: 200,304,304,304; with it: 200,304,200,304
# Source: RFC 9111, section 4.3.4, https://www.rfc-editor.org/rfc/rfc9111.html#section-4.3.4;
#   RFC 9110, section 15.4.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4.5;
#   https://github.com/nodejs/undici/issues/5505 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent undici@7.30.2 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:http';
import { Agent, interceptors, request } from 'undici';

/** Returns the statuses that a server sends for four requests of a client with a cache. */
async function statuses(notModified) {
  const sent = [];
  const server = createServer((incoming, response) => {
    const known = incoming.headers['if-none-match'] === '"1"';
    sent.push(known ? 304 : 200);
    if (known) response.writeHead(304, { etag: '"1"', ...notModified }).end();
    else response.writeHead(200, { etag: '"1"', 'cache-control': 'no-cache' }).end('body');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Agent().compose(interceptors.cache());
  for (let count = 0; count < 4; count += 1) {
    const { body } = await request(`http://127.0.0.1:${server.address().port}/`, { dispatcher });
    if ((await body.text()) !== 'body') throw new Error('The client got another body.');
  }
  await dispatcher.close();
  server.close();
  return sent.join();
}

const seen = [
  `without Cache-Control in the 304: ${await statuses({})}`,
  `with it: ${await statuses({ 'cache-control': 'no-cache' })}`,
].join('; ');
console.log(seen);
const expected =
  'without Cache-Control in the 304: 200,304,304,304; with it: 200,304,200,304';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
