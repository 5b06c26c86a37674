#!/usr/bin/env bash
# cspell:ignore BCHER
# An internationalized domain name in capitals is not converted to Unicode.
#
# Version: punycode 2.3.1
# Behavior: `toUnicode` looks for `xn--` in lower case only, and returns a label that starts with `XN--` as it is.
#   After a prefix in lower case, capitals are converted.
# Expected: the same name in Unicode for all three. RFC 5891, with which the package complies by its own
#   account, interprets the prefix case-insensitively.
# Why it matters: many registries write names in capitals in RDAP and WHOIS. Compared in Unicode, the name of a
#   record then differs from the name that was asked for, and people are shown "XN--BCHER-KVA".
# Output: xn--bcher-kva.com=bücher.com xn--BCHER-KVA.COM=bücher.COM XN--BCHER-KVA.COM=XN--BCHER-KVA.COM
# Source: RFC 5891, section 5.3, https://www.rfc-editor.org/rfc/rfc5891.html#section-5.3;
#   https://github.com/mathiasbynens/punycode.js/issues/105 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent punycode@2.3.1 >>npm.log

cat >finding.mjs <<'JS'
import punycode from 'punycode/punycode.js';

const names = ['xn--bcher-kva.com', 'xn--BCHER-KVA.COM', 'XN--BCHER-KVA.COM'];
const seen = names.map((name) => `${name}=${punycode.toUnicode(name)}`).join(' ');
console.log(seen);
const expected =
  'xn--bcher-kva.com=bücher.com xn--BCHER-KVA.COM=bücher.COM XN--BCHER-KVA.COM=XN--BCHER-KVA.COM';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
