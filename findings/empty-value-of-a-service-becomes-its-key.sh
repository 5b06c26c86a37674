#!/usr/bin/env bash
# An attribute with an empty value has another name.
#
# Version: bonjour-service 1.4.4
# Behavior: `note=` in the TXT record of a service becomes a key called "note=" without a value. The text is split at
#   the first `=` that has something after it.
# Expected: `{ note: '' }`. Of the four cases in RFC 6763, this is "present, with empty value", and has an
#   example.
# Why it matters: many printers announce `note=` until somebody enters where they are. The attribute seems absent,
#   because `txt.note` is undefined, and `txt` has a key that no printer announced.
# Output: note=Office: {"note":"Office"} note=: {} with the keys note=
# Source: RFC 6763, section 6.4, https://www.rfc-editor.org/rfc/rfc6763.html#section-6.4;
#   https://github.com/espressif/esp-protocols/pull/1149 (the four cases in another library)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent bonjour-service@1.4.4 >>npm.log

cat >finding.mjs <<'JS'
import { DnsTxt } from 'bonjour-service/dist/lib/dns-txt.js';

const decode = (text) => new DnsTxt().decodeAll([Buffer.from(text)]);
const seen = [
  `note=Office: ${JSON.stringify(decode('note=Office'))}`,
  `note=: ${JSON.stringify(decode('note='))} with the keys ${Object.keys(decode('note='))}`,
].join(' ');
console.log(seen);
process.exitCode = seen === 'note=Office: {"note":"Office"} note=: {} with the keys note=' ? 0 : 1;
JS
node finding.mjs
