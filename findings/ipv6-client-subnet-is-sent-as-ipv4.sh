#!/usr/bin/env bash
# cspell:ignore FORMERR subarray
# The subnet of an IPv6 client is sent as one of IPv4.
#
# Version: dns2 3.1.1
# Behavior: `EDNS.ECS('2001:db8:1234::/56')` makes an option with FAMILY 1, a prefix of 56 bits, and the address
#   209.0.0.0.0.0.0. The decoder of the same package rejects it.
# Expected: FAMILY 2 and 20:01:0d:b8:12:34:00. RFC 7871 has both families, and so does the decoder. The types say
#   "in CIDR notation" with an example of IPv4, and nothing reports an error.
# Why it matters: a server should answer FORMERR to seven octets of IPv4, so a forwarder works until its first client
#   with IPv6. A prefix of 32 bits passes for 209.0.0.0/32, and the answer is for clients of that network.
# Output: 192.0.2.0/24: family 1, 24 bits, c00002; 2001:db8:1234::/56: family 1, 56 bits, d1000000000000
# Source: RFC 7871, section 6, https://www.rfc-editor.org/rfc/rfc7871.html#section-6
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent dns2@3.1.1 >>npm.log

cat >finding.mjs <<'JS'
import dns2 from 'dns2';

const { EDNS } = dns2.Packet.Resource;

/** Returns the parts of the option that a query carries for a subnet. */
function option(subnet) {
  const packet = new dns2.Packet();
  packet.additionals.push(EDNS([EDNS.ECS(subnet)]));
  const bytes = packet.toBuffer();
  // After the header (12) and the OPT record's fixed part (11): code, length, then the option.
  const [family, bits] = [bytes.readUInt16BE(27), bytes[29]];
  return `${subnet}: family ${family}, ${bits} bits, ${bytes.subarray(31).toString('hex')}`;
}

const seen = `${option('192.0.2.0/24')}; ${option('2001:db8:1234::/56')}`;
console.log(seen);
const expected =
  '192.0.2.0/24: family 1, 24 bits, c00002; 2001:db8:1234::/56: family 1, 56 bits, d1000000000000';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
