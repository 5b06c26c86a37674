#!/usr/bin/env bash
# The date on which a registrar's contract ends is returned as the registry's expiry.
#
# Version: rdapper 0.16.4
# Behavior: a record whose only such event is `registrar expiration` has this date as `expirationDate`, and
#   nothing says which of the two it is.
# Expected: `expirationDate` is the date of the event `expiration`, and absent without one.
# Why it matters: IANA's list of RDAP values tells the two apart. After an automatic renewal by the registry, the
#   registrar's date lies a year before that of the registry, so a warning by this date comes a year early.
# Output: expirationDate=2029-01-01T00:00:00Z
# Source: RFC 9083, sections 4.5 and 10.2.3, https://www.rfc-editor.org/rfc/rfc9083.html#section-10.2.3;
#   https://www.iana.org/assignments/rdap-json-values
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent rdapper@0.16.4 >>npm.log

cat >finding.mjs <<'JS'
import { createServer } from 'node:http';
import { lookup } from 'rdapper';

const record = {
  objectClassName: 'domain',
  ldhName: 'name.com',
  rdapConformance: ['rdap_level_0'],
  status: ['active'],
  events: [
    { eventAction: 'registration', eventDate: '2020-01-01T00:00:00Z' },
    { eventAction: 'registrar expiration', eventDate: '2029-01-01T00:00:00Z' },
  ],
};
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/rdap+json' });
  response.end(JSON.stringify(record));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const services = [[['com'], [`http://127.0.0.1:${server.address().port}/`]]];
const customBootstrapData = { version: '1.0', publication: '2026-01-01T00:00:00Z', services };
const result = await lookup('name.com', { rdapOnly: true, customBootstrapData });
server.close();
const seen = `expirationDate=${result.record?.expirationDate}`;
console.log(seen);
process.exitCode = seen === 'expirationDate=2029-01-01T00:00:00Z' ? 0 : 1;
JS
node finding.mjs
