#!/usr/bin/env bash
# cspell:ignore crossorigin preconnect
# A parameter without a value swallows the next link of a Link header.
#
# Version: http-link-header 1.1.4
# Behavior: the parser reads up to the next `=`, even if that is in another link. What is between becomes
#   the name of one parameter, and the other link is not found.
# Expected: two links. In RFC 8288, which the package names, the value of a parameter is optional, and
#   `crossorigin` is usually sent without one.
# Why it matters: a proxy or CDN that adds a hint in front of `rel="next"` ends the pagination of an API
#   after its first page, without an error.
# Output: alone=/names?page=2 after a hint=undefined
# Source: RFC 8288, section 3, https://www.rfc-editor.org/rfc/rfc8288.html#section-3 (`link-param`);
#   https://github.com/w3c/resource-hints/issues/64 (use in headers)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent http-link-header@1.1.4 >>npm.log

cat >finding.mjs <<'JS'
import LinkHeader from 'http-link-header';

const hint = '<https://fonts.example>; rel=preconnect; crossorigin';
const next = '</names?page=2>; rel="next"';
const targetOf = (header) => LinkHeader.parse(header).rel('next')[0]?.uri;
const seen = `alone=${targetOf(next)} after a hint=${targetOf(`${hint}, ${next}`)}`;
console.log(seen);
process.exitCode = seen === 'alone=/names?page=2 after a hint=undefined' ? 0 : 1;
JS
node finding.mjs
