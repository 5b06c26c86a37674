#!/usr/bin/env bash
# A 404 without a body sets no error.
#
# Version: openapi-fetch 0.17.0
# Behavior: `error` is undefined if the response has `Content-Length: 0`, and an empty string if it has no
#   such header. Neither passes `if (error)`, and `data` is undefined, too.
# Expected: `error` is set. According to the README, it is present if the status is 4XX or 5XX.
# Why it matters: RDAP servers may answer 404 without a body for a name that is not registered. It looks like
#   a success without data, which the types exclude, so the compiler does not help.
# Output: with a body=error without=no error Content-Length:0=no error
# Source: RFC 7480, section 5.3, https://www.rfc-editor.org/rfc/rfc7480.html#section-5.3;
#   https://github.com/openapi-ts/openapi-typescript/issues/2530 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent openapi-fetch@0.17.0 >>npm.log

cat >finding.mjs <<'JS'
import createClient from 'openapi-fetch';

/** Returns what a caller sees who checks `error`, as in the documentation. */
async function outcomeOf(body, headers) {
  const fetch = async () => new Response(body, { status: 404, headers });
  const { error } = await createClient({ baseUrl: 'https://rdap.example', fetch }).GET('/domain/a.com');
  return error ? 'error' : 'no error';
}

const seen = [
  `with a body=${await outcomeOf('{"errorCode":404}', { 'content-type': 'application/rdap+json' })}`,
  `without=${await outcomeOf(null)}`,
  `Content-Length:0=${await outcomeOf(null, { 'content-length': '0' })}`,
].join(' ');
console.log(seen);
const expected = 'with a body=error without=no error Content-Length:0=no error';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
