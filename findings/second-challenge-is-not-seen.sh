#!/usr/bin/env bash
# A client finds the authorization of a server only if it is the first challenge.
#
# Version: @modelcontextprotocol/client 2.4.0
# Behavior: `extractWWWAuthenticateParams`, which the transports use, looks at the first word of `WWW-Authenticate`.
#   After a challenge of another scheme, `resource_metadata` and `scope` of the Bearer challenge are not read.
# Expected: the same result in both orders. The field is a list of challenges, to which RFC 9110 gives no order, and
#   `fetch` joins several header lines to such a list.
# Why it matters: behind a gateway that adds `Basic` or `Negotiate`, the client looks for the metadata at the
#   well-known path only. Elsewhere, where the parameter allows them to be, they are not found.
# Output: Bearer, Basic: https://site.example/metadata; Basic, Bearer: undefined
# Source: RFC 9110, section 11.6.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1;
#   RFC 9728, section 5.1, https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1;
#   https://github.com/novuhq/novu/pull/11142 (a review finds the same fault in another client)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @modelcontextprotocol/client@2.4.0 >>npm.log

cat >finding.mjs <<'JS'
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

/** Returns the metadata that the client finds in a 401 with these challenges. */
function metadata(...challenges) {
  const headers = challenges.map((challenge) => ['www-authenticate', challenge]);
  const response = new Response(null, { status: 401, headers });
  return extractWWWAuthenticateParams(response).resourceMetadataUrl?.href;
}

const basic = 'Basic realm="site"';
const bearer = 'Bearer resource_metadata="https://site.example/metadata"';
const seen = `Bearer, Basic: ${metadata(bearer, basic)}; Basic, Bearer: ${metadata(basic, bearer)}`;
console.log(seen);
const expected = 'Bearer, Basic: https://site.example/metadata; Basic, Bearer: undefined';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
