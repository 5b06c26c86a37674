#!/usr/bin/env bash
# A name server's BADCOOKIE is reported as YXRRSET (dns-packet 5.6.1).
#
# Behavior: `decode` names the response code by the four bits in the header. The upper eight bits,
# which the OPT record carries, stay in `additionals`, and `rcode` is not corrected by them.
# A good guess: `rcode` is the code of the response. RFC 6891, section 6.1.3, makes both parts one
# number of twelve bits: 7 in the header and 1 in the OPT record are 23, BADCOOKIE (RFC 7873), which
# BIND and Knot send to a query with a client cookie alone. YXRRSET (7) belongs to dynamic updates,
# so a reader that trusts `rcode` files a request for a cookie under a broken server. In the same way
# 16, BADVERS, reads as NOERROR, and an empty answer as "this name has no such record".
# Seen: 23=YXRRSET 16=NOERROR
# Source: https://www.rfc-editor.org/rfc/rfc6891.html#section-6.1.3,
# https://www.npmjs.com/package/dns-packet
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent dns-packet@5.6.1 >>npm.log

cat >finding.mjs <<'JS'
import { decode } from 'dns-packet';

/** Returns a response without records but an OPT record, with a code of twelve bits. */
function response(code) {
  const header = [0, 1, 0x80, code & 15, 0, 0, 0, 0, 0, 0, 0, 1];
  const opt = [0, 0, 41, 4, 208, code >> 4, 0, 0, 0, 0, 0];
  return Buffer.from([...header, ...opt]);
}

const seen = [23, 16].map((code) => `${code}=${decode(response(code)).rcode}`).join(' ');
console.log(seen);
process.exitCode = seen === '23=YXRRSET 16=NOERROR' ? 0 : 1;
JS
node finding.mjs
