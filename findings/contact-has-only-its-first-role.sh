#!/usr/bin/env bash
# A contact that is both registrant and technical contact is only one of them.
#
# Version: rdapper 0.16.4
# Behavior: of the `roles` of an entity, the first one becomes the `type` of the contact. Its other roles are
#   dropped, so that the record has no registrant, or no technical contact.
# Expected: one contact for each role. `roles` is a list of relationships, to which the RFC gives no order.
# Why it matters: registries send one entity with several roles if the holder of a name manages it. Whether such
#   a name has a registrant then depends on how its server sorts two words.
# Output: registrant,technical=registrant technical,registrant=tech
# Source: RFC 9083, section 5.1, https://www.rfc-editor.org/rfc/rfc9083.html#section-5.1;
#   https://github.com/jakejarvis/rdapper
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent rdapper@0.16.4 >>npm.log

cat >finding.mjs <<'JS'
import { lookup } from 'rdapper';

/** Returns the types of the contacts of a name with one entity. */
async function typesFor(roles) {
  const card = [
    ['version', {}, 'text', '4.0'],
    ['fn', {}, 'text', 'Example'],
  ];
  const entities = [{ objectClassName: 'entity', handle: 'C-1', roles, vcardArray: ['vcard', card] }];
  const record = { objectClassName: 'domain', ldhName: 'name.com', status: ['active'], entities };
  const services = [[['com'], ['https://rdap.example/']]];
  const result = await lookup('name.com', {
    rdapOnly: true,
    customBootstrapData: { version: '1.0', publication: '2026-01-01T00:00:00Z', services },
    customFetch: async () => Response.json(record),
  });
  return result.record?.contacts?.map(({ type }) => type);
}

const results = [];
for (const roles of [
  ['registrant', 'technical'],
  ['technical', 'registrant'],
])
  results.push(`${roles}=${await typesFor(roles)}`);
const seen = results.join(' ');
console.log(seen);
const expected = 'registrant,technical=registrant technical,registrant=tech';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
