#!/usr/bin/env bash
# cspell:ignore dpop
# An access token with a valid signature is no valid JWT.
#
# Version: zod 4.6.7, signed and verified with jose 6.2.18
# Behavior: `z.jwt()` rejects each token whose header has another `typ` than exactly "JWT", such as the
#   `at+jwt` of access tokens, `dpop+jwt`, or "jwt" in lower case. A token without `typ` passes.
# Expected: all pass, since `alg` is the only choice that the documentation offers. RFC 7519 leaves `typ` to the
#   application, RFC 9068 requires `at+jwt`, and media types are case-insensitive.
# Why it matters: RFC 8725 advises explicit types for new kinds of tokens. A server that adopts them locks out
#   its clients with "Invalid JWT", while the library that verifies signatures has no complaint.
# Output: none=JWT JWT=JWT at+jwt=no JWT (verified: true)
# Source: RFC 7519, section 5.1, https://www.rfc-editor.org/rfc/rfc7519.html#section-5.1;
#   RFC 9068, section 2.1, https://www.rfc-editor.org/rfc/rfc9068.html#section-2.1;
#   https://zod.dev/api#jwts; https://github.com/colinhacks/zod/pull/4350 (closed)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent zod@4.6.7 jose@6.2.18 >>npm.log

cat >finding.mjs <<'JS'
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const { publicKey, privateKey } = await generateKeyPair('Ed25519');
const tokenOf = (typ) =>
  new SignJWT({ sub: 'client' }).setProtectedHeader({ alg: 'EdDSA', typ }).sign(privateKey);

const results = [];
for (const typ of [undefined, 'JWT', 'at+jwt']) {
  const { success } = z.jwt().safeParse(await tokenOf(typ));
  results.push(`${typ ?? 'none'}=${success ? 'JWT' : 'no JWT'}`);
}
const { payload } = await jwtVerify(await tokenOf('at+jwt'), publicKey, { typ: 'at+jwt' });
const seen = `${results.join(' ')} (verified: ${payload.sub === 'client'})`;
console.log(seen);
process.exitCode = seen === 'none=JWT JWT=JWT at+jwt=no JWT (verified: true)' ? 0 : 1;
JS
node finding.mjs
