#!/usr/bin/env bash
# An IPv6 address that ends in an IPv4 address becomes another address.
#
# Version: dns2 3.1.1, @peculiar/x509 2.2.0
# Behavior: of `64:ff9b::192.0.2.33`, an AAAA record and a certificate get `64:ff9b::192`: what is after the first
#   dot is dropped, and the decimal 192 is read as hexadecimal. Neither reports an error.
# Expected: `64:ff9b::c000:221`, since this is the third of the text forms of RFC 4291, and the one in which
#   RFC 6052 writes the addresses of NAT64.
# Why it matters: a DNS64 server that joins prefix and address as text, as the RFC does, answers for all names
#   with the same few addresses, which no server has.
# Output: dns2 64:ff9b::192 x509 64:ff9b::192
# Source: RFC 4291, section 2.2, https://www.rfc-editor.org/rfc/rfc4291.html#section-2.2 (form 3);
#   RFC 6052, section 2.4, https://www.rfc-editor.org/rfc/rfc6052.html#section-2.4
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent dns2@3.1.1 @peculiar/x509@2.2.0 reflect-metadata@0.2.2 >>npm.log

cat >finding.mjs <<'JS'
import 'reflect-metadata';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';
import dns2 from 'dns2';

const { Packet } = dns2;
const address = '64:ff9b::192.0.2.33';

const response = new Packet();
response.answers.push({ name: 'name.example', type: Packet.TYPE.AAAA, class: 1, ttl: 60, address });
const [record] = Packet.parse(response.toBuffer()).answers;

const names = new SubjectAlternativeNameExtension([{ type: 'ip', value: address }]);
const [name] = new SubjectAlternativeNameExtension(names.rawData).names.toJSON();

const seen = `dns2 ${record.address} x509 ${name.value}`;
console.log(seen);
process.exitCode = seen === 'dns2 64:ff9b::192 x509 64:ff9b::192' ? 0 : 1;
JS
node finding.mjs
