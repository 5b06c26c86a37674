#!/usr/bin/env bash
# A key set with the new name of an algorithm verifies none of the older signatures.
#
# Version: jose 6.2.18
# Behavior: `createLocalJWKSet` compares the `alg` of a key with that of the signature as text. A key with
#   `Ed25519` is no candidate for a signature with `EdDSA`, although the `kid` is equal and the same key,
#   passed by itself, verifies it.
# Expected: the key with that `kid` is used. For this key, both names stand for the same algorithm: RFC 9864
#   introduced `Ed25519` and deprecated `EdDSA`.
# Why it matters: whoever follows the RFC in a published key set makes every token and receipt unverifiable that
#   was signed before. `alg` in the set is optional (RFC 7517, section 4.4): without it, both are found.
# Output: EdDSA/Ed25519=ERR_JWKS_NO_MATCHING_KEY EdDSA/none=verified EdDSA/key=verified
# Source: RFC 9864, section 2.2, https://www.rfc-editor.org/rfc/rfc9864.html#section-2.2;
#   `createLocalJWKSet` in https://github.com/panva/jose, whose documentation says that "alg" selects keys
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent jose@6.2.18 >>npm.log

cat >finding.mjs <<'JS'
import { CompactSign, compactVerify, createLocalJWKSet, exportJWK, generateKeyPair } from 'jose';

const { publicKey, privateKey } = await generateKeyPair('Ed25519', { extractable: true });
const jws = await new CompactSign(new TextEncoder().encode('receipt'))
  .setProtectedHeader({ alg: 'EdDSA', kid: 'key-1' })
  .sign(privateKey);
const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', use: 'sig' };

const resultOf = (key) =>
  compactVerify(jws, key).then(
    () => 'verified',
    ({ code }) => code,
  );
const seen = [
  `EdDSA/Ed25519=${await resultOf(createLocalJWKSet({ keys: [{ ...jwk, alg: 'Ed25519' }] }))}`,
  `EdDSA/none=${await resultOf(createLocalJWKSet({ keys: [jwk] }))}`,
  `EdDSA/key=${await resultOf(publicKey)}`,
].join(' ');
console.log(seen);
const expected =
  'EdDSA/Ed25519=ERR_JWKS_NO_MATCHING_KEY EdDSA/none=verified EdDSA/key=verified';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
