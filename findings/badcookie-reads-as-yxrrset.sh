#!/usr/bin/env bash
# A name server's BADCOOKIE is reported as YXRRSET.
#
# Version: dns-packet 5.6.1
# Behavior: `decode` names the response code by the four bits in the header. The upper eight bits, which the
#   OPT record carries, stay in `additionals`.
# Expected: `rcode` is the code of the response, of which both parts make one number: 7 in the header and 1
#   in the OPT record are 23, BADCOOKIE.
# Why it matters: BADCOOKIE asks the client to repeat its query with the cookie of the response. YXRRSET belongs
#   to dynamic updates, so the server seems broken. In the same way, BADVERS (16) reads as NOERROR, and
#   its empty answer as "this name has no such record".
# Output: 23=YXRRSET 16=NOERROR
# Source: RFC 6891, section 6.1.3, https://www.rfc-editor.org/rfc/rfc6891.html#section-6.1.3;
#   RFC 7873, section 5.3, https://www.rfc-editor.org/rfc/rfc7873.html#section-5.3;
#   https://github.com/SIDN/entrada2/issues/63 (the same confusion, fixed in another program)
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
