#!/usr/bin/env bash
# `Disallow: /` also forbids /robots.txt (robots-parser 3.0.1).
#
# Behavior: `isAllowed` answers false for the address of the robots.txt that was just parsed.
# A good guess: true. RFC 9309, section 2.2.2: "The /robots.txt URI is implicitly allowed." A crawler
# that asks the parser before each request never reads a changed file again, and so keeps the old
# rules of a site that has opened since.
# Seen: /robots.txt=false /page=false
# Source: https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent robots-parser@3.0.1 >>npm.log

cat >finding.mjs <<'JS'
import parse from 'robots-parser';

const robots = parse('https://site.example/robots.txt', 'User-agent: *\nDisallow: /\n');
const seen = ['/robots.txt', '/page']
  .map((path) => `${path}=${robots.isAllowed(`https://site.example${path}`, 'crawler')}`)
  .join(' ');
console.log(seen);
process.exitCode = seen === '/robots.txt=false /page=false' ? 0 : 1;
JS
node finding.mjs
