#!/usr/bin/env bash
# An entity tag with a comma is not equal to itself.
#
# Version: fresh 2.0.0
# Behavior: `If-None-Match` is split at every comma, also within the quotes of a tag. So a client that sends
#   back the tag of its copy, `"1,2"`, has no fresh copy.
# Expected: fresh, as with `"1;2"`. What is between the quotes is opaque, and a comma is allowed there.
# Why it matters: Express and Koa decide with this package whether to answer 304. A server that builds its tags
#   from several numbers always sends the whole response, and no header shows why.
# Output: "1;2"=fresh "1,2"=not fresh
# Source: RFC 9110, section 8.8.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.8.3;
#   https://github.com/honojs/hono/pull/5353 (the same fault in another package)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent fresh@2.0.0 >>npm.log

cat >finding.mjs <<'JS'
import fresh from 'fresh';

const seen = ['"1;2"', '"1,2"']
  .map((etag) => `${etag}=${fresh({ 'if-none-match': etag }, { etag }) ? 'fresh' : 'not fresh'}`)
  .join(' ');
console.log(seen);
process.exitCode = seen === '"1;2"=fresh "1,2"=not fresh' ? 0 : 1;
JS
node finding.mjs
