#!/usr/bin/env bash
# A Sitemap line between two User-agent lines splits their group (robots-parser 3.0.1).
#
# Behavior: with `User-agent: one`, `Sitemap: …`, `User-agent: two`, `Disallow: /`, the crawler "one"
# may fetch everything, and "two" nothing.
# A good guess: both lines start one group, because lines that are not rules do not count. RFC 9309,
# section 2.2.4, says so with this very example: parsing of other records "MUST NOT interfere with
# the parsing of explicitly defined records", and a Sitemaps record must not terminate a group.
# Seen: one=true two=false, where the RFC gives one=false two=false.
# Source: https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.4,
# https://www.npmjs.com/package/robots-parser (its parser starts a new group after any other line).
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent robots-parser@3.0.1 >>npm.log

cat >finding.mjs <<'JS'
import parse from 'robots-parser';

const text = 'User-agent: one\nSitemap: https://site.example/map.xml\nUser-agent: two\nDisallow: /\n';
const robots = parse('https://site.example/robots.txt', text);
const seen = ['one', 'two']
  .map((agent) => `${agent}=${robots.isAllowed('https://site.example/page', agent)}`)
  .join(' ');
console.log(seen);
process.exitCode = seen === 'one=true two=false' ? 0 : 1;
JS
node finding.mjs
