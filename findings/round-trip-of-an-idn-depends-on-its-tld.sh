#!/usr/bin/env bash
# cspell:ignore idna strasse
# Conversion to Unicode and back gives another domain name, depending on the TLD.
#
# Version: idna-uts46-hx 6.2.2
# Behavior: `toAscii` applies the transitional mapping of UTS #46 (ß to ss, final sigma to sigma, no
#   joiners) outside eleven TLDs such as .de and .fr. `toUnicode` returns the original name.
# Expected: the name that went in. RFC 5890 requires that each of the two forms yields the other, and
#   UTS #46 has deprecated the transitional mapping, which browsers no longer apply.
# Why it matters: a lookup, an order or a certificate for a name from a list in Unicode is for another
#   name with another holder. Tests with a German name pass, because .de is one of the eleven.
# Output: xn--strae-oqa.de=xn--strae-oqa.de xn--strae-oqa.com=strasse.com xn--nxasmm1c.com=xn--nxasmq6b.com
# Source: RFC 5890, section 2.3.2.1, https://www.rfc-editor.org/rfc/rfc5890.html#section-2.3.2.1;
#   UTS #46, section 4 (transitional processing), https://www.unicode.org/reports/tr46/#Processing; the types of
#   the package say that the option is derived from the TLD, but not for which TLDs.
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent idna-uts46-hx@6.2.2 >>npm.log

cat >finding.mjs <<'JS'
import { toAscii, toUnicode } from 'idna-uts46-hx';

const names = ['xn--strae-oqa.de', 'xn--strae-oqa.com', 'xn--nxasmm1c.com'];
const seen = names.map((name) => `${name}=${toAscii(toUnicode(name))}`).join(' ');
console.log(seen);
const expected =
  'xn--strae-oqa.de=xn--strae-oqa.de xn--strae-oqa.com=strasse.com xn--nxasmm1c.com=xn--nxasmq6b.com';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
