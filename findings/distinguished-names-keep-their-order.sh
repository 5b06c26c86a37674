#!/usr/bin/env bash
# cspell:ignore nameopt
# The names in certificates are read and written in the reverse of the order of RFC 4514
# (@peculiar/x509 2.2.0).
#
# Behavior: `new Name('CN=example.com,O=Example,C=US')` puts the common name first into the certificate,
# and `toString` prints a name with the country first as `C=US, O=Example, CN=example.com`.
# A good guess: the common name comes last in the certificate. The documentation of `Name` points to RFC
# 2253, and RFC 4514, which replaced it, writes a name from its last part to its first (section 2.1), as
# LDAP servers and `openssl x509 -nameopt RFC2253` do. A name that is copied from one of them into a
# certificate is another name there (RFC 5280, section 7.1): as an issuer, it is that of no CA.
# Seen: written=CN,O,C read=C,O,CN printed=C=US, O=Example, CN=example.com
# Source: https://www.rfc-editor.org/rfc/rfc4514.html#section-2.1,
# https://www.npmjs.com/package/@peculiar/x509
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent @peculiar/x509@2.2.0 reflect-metadata@0.2.2 >>npm.log

cat >finding.mjs <<'JS'
import 'reflect-metadata';
import { Name } from '@peculiar/x509';

// The last byte of the identifiers 2.5.4.3, 2.5.4.10 and 2.5.4.6.
const types = new Map([
  [3, 'CN'],
  [10, 'O'],
  [6, 'C'],
]);

/** Returns the types of the parts of a name in their order in DER. */
function orderIn(der) {
  const identifiers = Buffer.from(der).toString('latin1').matchAll(/\x06\x03\x55\x04([^])/g);
  return [...identifiers].map(([, byte]) => types.get(byte.charCodeAt(0)));
}

const written = new Name('CN=example.com,O=Example,C=US').toArrayBuffer();
const read = new Name([{ C: ['US'] }, { O: ['Example'] }, { CN: ['example.com'] }]).toArrayBuffer();
const seen = `written=${orderIn(written)} read=${orderIn(read)} printed=${new Name(read)}`;
console.log(seen);
const expected = 'written=CN,O,C read=C,O,CN printed=C=US, O=Example, CN=example.com';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
