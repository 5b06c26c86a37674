#!/usr/bin/env bash
# cspell:ignore mname
# A label with a dot becomes two labels.
#
# Version: dns-packet 5.6.1
# Behavior: `decode` does not escape a dot inside a label, and `encode` splits at every dot. So a packet that
#   is decoded and encoded again is about another name. Only in mailboxes (SOA, RP) are dots escaped.
# Expected: `Dr\. Pepper.local`, the text form of RFC 1035, because the mailbox `first\.last.example.com` makes
#   the round trip.
# Why it matters: instance names of DNS-SD are text for people in one label. A client that asks for the SRV
#   record of the service that a PTR record named asks for a name that does not exist.
# Output: decoded=Dr. Pepper.local labels=2 before, 3 after; mailbox=first\.last.example.com
# Source: RFC 1035, section 5.1, https://www.rfc-editor.org/rfc/rfc1035.html#section-5.1;
#   RFC 6763, section 4.3, https://www.rfc-editor.org/rfc/rfc6763.html#section-4.3
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent dns-packet@5.6.1 >>npm.log

cat >finding.mjs <<'JS'
import packet from 'dns-packet';

/** Returns the number of labels in the question of a packet. */
function labelsIn(buffer) {
  let count = 0;
  for (let at = 12; buffer[at] > 0; at += buffer[at] + 1) count += 1;
  return count;
}

const header = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
const question = ['\x0aDr. Pepper', '\x05local', '\x00', '\x00\x21', '\x00\x01'].join('');
const wire = Buffer.from([...header, ...Buffer.from(question, 'latin1')]);
const decoded = packet.decode(wire);

const rname = 'first\\.last.example.com';
const times = { serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
const soa = { type: 'SOA', name: 'example.com', data: { mname: 'a.example', rname, ...times } };
const mailbox = packet.decode(packet.encode({ type: 'response', answers: [soa] })).answers[0].data;

const seen = [
  `decoded=${decoded.questions[0].name}`,
  `labels=${labelsIn(wire)} before, ${labelsIn(packet.encode(decoded))} after;`,
  `mailbox=${mailbox.rname}`,
].join(' ');
console.log(seen);
const expected =
  'decoded=Dr. Pepper.local labels=2 before, 3 after; mailbox=first\\.last.example.com';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
