#!/usr/bin/env bash
# A Sitemap line between two User-agent lines lifts the rules of the first.
#
# Version: robots-parser 3.0.1
# Behavior: with `User-agent: one`, `Sitemap: …`, `User-agent: two`, `Disallow: /`, the crawler "one" may
#   fetch everything, and "two" nothing.
# Expected: both lines start one group. RFC 9309, which the project names as its aim, has this very example: a
#   Sitemaps record must not terminate a group.
# Why it matters: a crawler fetches pages of a site that has forbidden it to. It is seen only with several
#   User-agent lines in a row, so most files do not show it.
# Output: one=true two=false
# Source: RFC 9309, section 2.2.4, https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.4;
#   https://github.com/samclarke/robots-parser#readme
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
