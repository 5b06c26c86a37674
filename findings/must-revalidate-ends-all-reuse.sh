#!/usr/bin/env bash
# A response with `must-revalidate` is never reused, however fresh it is.
#
# Version: http-cache-semantics 4.3.0
# Behavior: with `max-age=60, must-revalidate`, `timeToLive` is a minute, but `satisfiesWithoutRevalidation`
#   is false from the first moment. `evaluateRequest` requires a revalidation, too.
# Expected: the response is reused for a minute, as without the directive, which concerns a stale response
#   only. What this package does is the meaning of `no-cache`.
# Why it matters: the caches of got and npm use this package, and many servers send both directives. Each request
#   goes to such a server again, as if nothing had been cached.
# Output: max-age=60: 60000 ms, reused; max-age=60, must-revalidate: 60000 ms, not reused
# Source: RFC 9111, section 5.2.2.2, https://www.rfc-editor.org/rfc/rfc9111.html#section-5.2.2.2;
#   https://github.com/kornelski/http-cache-semantics/pull/54 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent http-cache-semantics@4.3.0 >>npm.log

cat >finding.mjs <<'JS'
import CachePolicy from 'http-cache-semantics';

const request = { method: 'GET', url: '/domain/name.com', headers: { host: 'rdap.example' } };

/** Returns how long a response is fresh, and whether the same request may reuse it at once. */
function reuseOf(directives) {
  const policy = new CachePolicy(request, { status: 200, headers: { 'cache-control': directives } });
  const reused = policy.satisfiesWithoutRevalidation(request) ? 'reused' : 'not reused';
  return `${directives}: ${Math.ceil(policy.timeToLive() / 1000) * 1000} ms, ${reused}`;
}

const seen = `${reuseOf('max-age=60')}; ${reuseOf('max-age=60, must-revalidate')}`;
console.log(seen);
const expected = 'max-age=60: 60000 ms, reused; max-age=60, must-revalidate: 60000 ms, not reused';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
