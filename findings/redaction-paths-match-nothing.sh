#!/usr/bin/env bash
# JSON paths of RFC 9535, as redactions have them, match nothing, without an error (jsonpath-plus 11.3.0).
#
# Behavior: a filter without parentheses, a function in one, and a negative index return an empty list.
# The same filter in parentheses works.
# A good guess: what is no path of this library is an error, and `$.entities[?@.handle]` is a path: RFC
# 9535, section 2.3.5.1, has no parentheses in its grammar, nor in its examples. The `prePath` of a
# redaction (RFC 9537, `pathLang` "jsonpath") names the member that was removed or emptied; with a path
# that matches nothing, "this member was redacted in place" cannot be told from "it was removed".
# Seen: parentheses=1 without=0 length()=0 last=0
# Source: https://www.rfc-editor.org/rfc/rfc9535.html#section-2.3.5.1,
# https://www.rfc-editor.org/rfc/rfc9537.html#section-4.2, https://www.npmjs.com/package/jsonpath-plus
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent jsonpath-plus@11.3.0 >>npm.log

cat >finding.mjs <<'JS'
import { JSONPath } from 'jsonpath-plus';

const json = { entities: [{ roles: ['registrant'], handle: 'R-1' }] };
const matches = (path) => JSONPath({ path, json }).length;
const seen = [
  `parentheses=${matches("$.entities[?(@.roles[0]=='registrant')].handle")}`,
  `without=${matches("$.entities[?@.roles[0]=='registrant'].handle")}`,
  `length()=${matches('$.entities[?length(@.roles)==1].handle')}`,
  `last=${matches('$.entities[-1].handle')}`,
].join(' ');
console.log(seen);
process.exitCode = seen === 'parentheses=1 without=0 length()=0 last=0' ? 0 : 1;
JS
node finding.mjs
