#!/usr/bin/env bash
# `DNSSEC: unsigned` in a WHOIS reply is returned as enabled.
#
# Version: rdapper 0.16.4
# Behavior: `dnssec.enabled` is true if the value of the line has "signed" anywhere in it.
# Expected: `unsigned` is false. It is one of the two values of this line in ICANN's format; the other one is
#   `signedDelegation`.
# Why it matters: every unsigned name of a gTLD is said to have DNSSEC if its record comes from WHOIS, and not to
#   have it if the same call reaches the RDAP server.
# Output: signedDelegation=true unsigned=true no=false
# Source: ICANN's base registry agreement of 2013, specification 4, section 1.5.2; `dnssecRaw` in
#   src/whois/normalize.ts of https://github.com/jakejarvis/rdapper
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent rdapper@0.16.4 >>npm.log

cat >finding.mjs <<'JS'
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { lookup } from 'rdapper';

let word;
const server = net.createServer((socket) =>
  socket.once('data', () => {
    const lines = ['Domain Name: NAME.COM', 'Registrar: Example', `DNSSEC: ${word}`, ''];
    socket.end(lines.join('\r\n'));
  }),
);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// The library always connects to port 43, which only root may open.
const { port } = server.address();
const connect = net.createConnection;
net.createConnection = ({ host }) => connect({ host, port });
syncBuiltinESMExports();

const results = [];
for (word of ['signedDelegation', 'unsigned', 'no']) {
  const { record } = await lookup('name.com', { whoisOnly: true, whoisHints: { com: '127.0.0.1' } });
  results.push(`${word}=${record?.dnssec?.enabled}`);
}
server.close();
const seen = results.join(' ');
console.log(seen);
process.exitCode = seen === 'signedDelegation=true unsigned=true no=false' ? 0 : 1;
JS
node finding.mjs
