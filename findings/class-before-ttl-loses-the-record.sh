#!/usr/bin/env bash
# cspell:ignore dnsz zonefile
# A record whose class is written before its TTL is not read.
#
# Version: dns-zonefile 0.3.2, dnsz 4.5.2
# Behavior: `a 300 IN A 192.0.2.1` is read. `a IN 300 A 192.0.2.1` is no record for dns-zonefile, and a record
#   of the type "IN" for dnsz. Neither reports an error.
# Expected: both lines are equal, since RFC 1035 gives both orders as the two forms of a record, and name
#   servers load both.
# Why it matters: a tool that copies or compares zones drops addresses of a zone that has been served for years.
# Output: dns-zonefile 300,none dnsz A,IN
# Source: RFC 1035, section 5.1, https://www.rfc-editor.org/rfc/rfc1035.html#section-5.1
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent dns-zonefile@0.3.2 dnsz@4.5.2 >>npm.log

cat >finding.mjs <<'JS'
import zonefile from 'dns-zonefile';
import * as dnsz from 'dnsz';

const zones = ['a 300 IN A 192.0.2.1', 'a IN 300 A 192.0.2.1'].map(
  (record) => `$ORIGIN example.com.\n$TTL 86400\n${record}\n`,
);
const ttlIn = ({ a: [record] = [] }) => (record ? record.ttl : 'none');
const seen = [
  `dns-zonefile ${zones.map((zone) => ttlIn(zonefile.parse(zone)))}`,
  `dnsz ${zones.map((zone) => dnsz.parseZone(zone).records[0].type)}`,
].join(' ');
console.log(seen);
process.exitCode = seen === 'dns-zonefile 300,none dnsz A,IN' ? 0 : 1;
JS
node finding.mjs
