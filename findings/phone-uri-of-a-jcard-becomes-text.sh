#!/usr/bin/env bash
# A phone number in a jCard is no longer a URI as a vCard.
#
# Version: ical.js 2.2.1
# Behavior: a `tel` of type `uri`, as in RFC 7095 and in RDAP, is written as `TEL:tel:…` without
#   `VALUE=uri`. One of type `text` gets `VALUE=TEXT`.
# Expected: the reverse. RFC 6350 makes text the default of TEL in vCard 4.0, so that only a URI needs a
#   VALUE, and RFC 7095 sets that parameter from the type.
# Why it matters: a program that reads the vCard takes "tel:+1.5555551234;ext=102" for the number that
#   people see and dial. ical.js itself reads it back as a URI, so a test of the round trip passes.
# Output: uri=TEL:tel:+1-555-555-1234;ext=102 text=TEL;VALUE=TEXT:+1.5555551234
# Source: RFC 6350, section 6.4.1, https://www.rfc-editor.org/rfc/rfc6350.html#section-6.4.1;
#   RFC 7095, section 3.4.1, https://www.rfc-editor.org/rfc/rfc7095.html#section-3.4.1
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent ical.js@2.2.1 >>npm.log

cat >finding.mjs <<'JS'
import ICAL from 'ical.js';

/** Returns the line of a phone number in the vCard of a contact. */
function lineFor(type, value) {
  const properties = [
    ['version', {}, 'text', '4.0'],
    ['fn', {}, 'text', 'Example'],
    ['tel', {}, type, value],
  ];
  const lines = new ICAL.Component(['vcard', properties]).toString().split('\r\n');
  return `${type}=${lines.find((line) => line.startsWith('TEL'))}`;
}

const seen = `${lineFor('uri', 'tel:+1-555-555-1234;ext=102')} ${lineFor('text', '+1.5555551234')}`;
console.log(seen);
const expected = 'uri=TEL:tel:+1-555-555-1234;ext=102 text=TEL;VALUE=TEXT:+1.5555551234';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
