#!/usr/bin/env bash
# A vCard that is converted to a jCard keeps its escapes, and structured values stay one text (vcf 2.1.2).
#
# Behavior: `toJCard` copies the value of FN and ORG as it is written in the vCard: `Example\, Inc.` has
# a backslash in JSON, too, and `Example\, Inc.;Names` is one text with a semicolon instead of a list.
# ADR is split, but keeps the backslashes. The parameter VALUE stays among the parameters.
# A good guess: the jCard of RFC 7095, which RDAP servers send: section 3.3 removes the escapes,
# section 3.3.1.3 makes a list of a structured value, and section 3.4.1 has VALUE only as the type. So
# every company with a comma in its name gets a backslash, which the RDAP client shows.
# Seen: ["fn",{},"text","Example\\, Inc."] ["org",{},"text","Example\\, Inc.;Names"] ["tel",{"value":"uri"},"uri","tel:+1"]
# Source: https://www.rfc-editor.org/rfc/rfc7095.html#section-3.3, https://www.npmjs.com/package/vcf
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent vcf@2.1.2 >>npm.log

cat >finding.mjs <<'JS'
import vCard from 'vcf';

const lines = [
  'BEGIN:VCARD',
  'VERSION:4.0',
  'FN:Example\\, Inc.',
  'ORG:Example\\, Inc.;Names',
  'TEL;VALUE=uri:tel:+1',
  'END:VCARD',
];
const [, properties] = new vCard().parse(lines.join('\r\n')).toJCard('4.0');
const seen = properties.slice(1).map((property) => JSON.stringify(property)).join(' ');
console.log(seen);
const expected = [
  ['fn', {}, 'text', 'Example\\, Inc.'],
  ['org', {}, 'text', 'Example\\, Inc.;Names'],
  ['tel', { value: 'uri' }, 'uri', 'tel:+1'],
];
process.exitCode = seen === expected.map((each) => JSON.stringify(each)).join(' ') ? 0 : 1;
JS
node finding.mjs
