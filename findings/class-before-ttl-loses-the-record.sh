#!/usr/bin/env bash
# cspell:ignore dnsz zonefile
# A record whose class is written before its TTL is lost, changed or stripped (dns-zonefile 0.3.2,
# dnsz 4.5.2 and zone-file 1.0.0).
#
# Behavior: `a 300 IN A 192.0.2.1` is read by all three parsers of zone files. `a IN 300 A 192.0.2.1` has
# no record in dns-zonefile, is a record of the type "IN" in dnsz, and has no TTL in zone-file, so that
# the one of the zone applies. None of them reports an error.
# A good guess: both lines are equal, or the second is an error. RFC 1035, section 5.1, gives both
# orders as the two forms of a record, and name servers load both. A tool that copies or compares zones
# with one of these parsers drops addresses of a zone that has been served for years.
# Seen: dns-zonefile 300,none dnsz A,IN zone-file 300,undefined
# Source: https://www.rfc-editor.org/rfc/rfc1035.html#section-5.1,
# https://www.npmjs.com/package/dns-zonefile, https://www.npmjs.com/package/dnsz,
# https://www.npmjs.com/package/zone-file
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent dns-zonefile@0.3.2 dnsz@4.5.2 zone-file@1.0.0 >>npm.log

cat >finding.mjs <<'JS'
import { createRequire } from 'node:module';
import zonefile from 'dns-zonefile';
import * as dnsz from 'dnsz';
const { parseZoneFile } = createRequire(import.meta.url)('zone-file');

const zones = ['a 300 IN A 192.0.2.1', 'a IN 300 A 192.0.2.1'].map(
  (record) => `$ORIGIN example.com.\n$TTL 86400\n${record}\n`,
);
const ttlIn = ({ a: [record] = [] }) => (record ? record.ttl : 'none');
const seen = [
  `dns-zonefile ${zones.map((zone) => ttlIn(zonefile.parse(zone)))}`,
  `dnsz ${zones.map((zone) => dnsz.parseZone(zone).records[0].type)}`,
  `zone-file ${zones.map((zone) => String(ttlIn(parseZoneFile(zone))))}`,
].join(' ');
console.log(seen);
process.exitCode = seen === 'dns-zonefile 300,none dnsz A,IN zone-file 300,undefined' ? 0 : 1;
JS
node finding.mjs
