#!/usr/bin/env bash
# An empty field of a WHOIS reply takes the next line as its value (whois-json 2.1.0).
#
# Behavior: a line that ends in a colon is joined to the next one, if lines end in CR LF, as they do in
# WHOIS (RFC 3912, section 2). `Registrant Fax:` gets the value `Registrant Email: …`, and the record
# has no email. With several such lines in a row, the first one takes all of them and the line after.
# A good guess: a field without data is empty or absent, since every line has its own label. ICANN's
# advisory on WHOIS lets gTLD servers send the label alone for such a field, and many do so for the fax
# and the extensions of phone numbers: then these hold what belongs to the email.
# Seen: {"domainName":"EXAMPLE.COM","registrantFax":"Registrant Email: hello@example.com","registrar":"Example"}
# Source: https://www.icann.org/resources/pages/registry-agreement-raa-rdds-2015-04-27-en (section I),
# https://www.npmjs.com/package/whois-json
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent whois-json@2.1.0 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:net';
import whois from 'whois-json';

const lines = [
  'Domain Name: EXAMPLE.COM',
  'Registrant Fax:',
  'Registrant Email: hello@example.com',
  'Registrar: Example',
  '',
];
const server = createServer((socket) => socket.once('data', () => socket.end(lines.join('\r\n'))));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const record = await whois('example.com', { server: { host: '127.0.0.1', port }, follow: 0 });
server.close();
const seen = JSON.stringify(record);
console.log(seen);
const expected = {
  domainName: 'EXAMPLE.COM',
  registrantFax: 'Registrant Email: hello@example.com',
  registrar: 'Example',
};
process.exitCode = seen === JSON.stringify(expected) ? 0 : 1;
JS
node finding.mjs
