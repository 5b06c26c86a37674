#!/usr/bin/env bash
# The addresses of an alias start with a name.
#
# Version: dns-over-http-resolver 3.0.16
# Behavior: `resolve4` returns the data of every record in the answer, so the targets of CNAME records
#   are in the list before the addresses.
# Expected: IPv4 addresses only, as in its documentation and in `resolve4` of Node.js, whose interface
#   it has. An answer about an alias has both types (RFC 1034).
# Why it matters: `[address] = await resolve4(name)` is an address for names without an alias, and a name for
#   most names behind a CDN.
# Output: name.example.,192.0.2.1
# Source: RFC 1034, section 3.6.2, https://www.rfc-editor.org/rfc/rfc1034.html#section-3.6.2;
#   https://developers.google.com/speed/public-dns/docs/doh/json (the format of the answers);
#   https://github.com/vasco-santos/dns-over-http-resolver#resolve4hostname
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent dns-over-http-resolver@3.0.16 >>npm.log

cat >finding.mjs <<'JS'
import Resolver from 'dns-over-http-resolver';

const answer = {
  Status: 0,
  Answer: [
    { name: 'alias.example.', type: 5, TTL: 300, data: 'name.example.' },
    { name: 'name.example.', type: 1, TTL: 300, data: '192.0.2.1' },
  ],
};
const resolver = new Resolver({ request: async () => answer });
resolver.setServers(['https://resolver.example/dns-query']);
const seen = String(await resolver.resolve4('alias.example'));
console.log(seen);
process.exitCode = seen === 'name.example.,192.0.2.1' ? 0 : 1;
JS
node finding.mjs
