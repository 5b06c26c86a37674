#!/usr/bin/env bash
# A key set with the new name of an algorithm verifies none of the older signatures (jose 6.2.18).
#
# Behavior: `createLocalJWKSet` compares the `alg` of a key with that of the signature as texts. A key
# with `Ed25519` (RFC 9864) is no candidate for a signature with `EdDSA`, nor the reverse, although the
# `kid` is equal and both names mean the same for this key: passed by itself, it verifies both.
# A good guess: the key with that `kid` is used. RFC 9864 renames the algorithm and deprecates `EdDSA`,
# so whoever follows it in a published key set makes every receipt and token unverifiable that was
# signed before, with an error that says that there is no key. `alg` in the set is optional (RFC 7517,
# section 4.4): without it, both are found.
# Seen: EdDSA/Ed25519=ERR_JWKS_NO_MATCHING_KEY EdDSA/none=verified EdDSA/key=verified
# Source: https://www.rfc-editor.org/rfc/rfc9864.html#section-2.2,
# https://www.npmjs.com/package/jose (`createLocalJWKSet`)
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
