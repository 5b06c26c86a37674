#!/usr/bin/env bash
# cspell:ignore whoiser
# A registrant in Namibia has no country.
#
# Version: whoiser 1.18.0
# Behavior: the value of `Registrant Country: NA` is an empty string. `NA` is on the list of texts that
#   stand for a redacted field, which the option `ignorePrivacy` empties in every field by default.
# Expected: `NA`, the country code of Namibia, since "no data" has other forms in WHOIS.
# Why it matters: every registrant of one country is without it, although gTLDs must publish this field.
#   `ignorePrivacy: false` keeps the code, but also every "REDACTED FOR PRIVACY".
# Output: DE=DE NA= NA with ignorePrivacy:false=NA
# Source: RFC 5733, section 2.4.3, https://www.rfc-editor.org/rfc/rfc5733.html#section-2.4.3 (ISO 3166-1),
#   to which ICANN's base registry agreement, specification 4, refers for WHOIS;
#   https://www.iso.org/obp/ui/#iso:code:3166:NA; `noData` in src/parsers.js of the package
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent whoiser@1.18.0 >>npm.log

cat >finding.mjs <<'JS'
import net, { createServer } from 'node:net';
import whoiser from 'whoiser';

let country;
const server = createServer((socket) =>
  socket.once('data', () => {
    const lines = ['Domain Name: NAME.COM', 'Registrar: Example', `Registrant Country: ${country}`, ''];
    socket.end(lines.join('\r\n'));
  }),
);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// The library connects to port 43, which only root may open.
const { port } = server.address();
const connect = net.connect;
net.connect = ({ host }, connected) => connect({ host, port }, connected);

/** Returns the country of the registrant in a reply with this code. */
async function countryOf(code, options) {
  country = code;
  const host = '127.0.0.1';
  const replies = await whoiser.domain('name.com', { host, follow: 1, ...options });
  return replies[host]['Registrant Country'];
}

const seen = [
  `DE=${await countryOf('DE')}`,
  `NA=${await countryOf('NA')}`,
  `NA with ignorePrivacy:false=${await countryOf('NA', { ignorePrivacy: false })}`,
].join(' ');
server.close();
console.log(seen);
process.exitCode = seen === 'DE=DE NA= NA with ignorePrivacy:false=NA' ? 0 : 1;
JS
node finding.mjs
