#!/usr/bin/env bash
# cspell:ignore nameopt
# An escaped letter in a distinguished name becomes hexadecimal digits.
#
# Version: @peculiar/x509 2.2.0
# Behavior: of the name `O=Gr\C3\B6\C3\9Fe GmbH`, only the backslashes are removed. The certificate or request then
#   is for an organization called "GrC3B6C39Fe GmbH". Only `\0A` and `\0D` are read as bytes.
# Expected: "Größe GmbH". RFC 2253, which the documentation of the class names, and RFC 4514 let two digits after
#   a backslash stand for a byte, and have such a name as an example.
# Why it matters: OpenSSL prints the name like this (`-nameopt RFC2253`). Copied from there, it makes a request for
#   another organization, or an issuer that matches no CA, without an error.
# Output: O=Größe GmbH -> Größe GmbH; O=Gr\C3\B6\C3\9Fe GmbH -> GrC3B6C39Fe GmbH
# Source: RFC 2253, sections 3 and 5, https://www.rfc-editor.org/rfc/rfc2253.html#section-5;
#   RFC 4514, section 4, https://www.rfc-editor.org/rfc/rfc4514.html#section-4
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @peculiar/x509@2.2.0 reflect-metadata@0.2.2 >>npm.log

cat >finding.mjs <<'JS'
import 'reflect-metadata';
import { Name } from '@peculiar/x509';

const names = ['O=Größe GmbH', String.raw`O=Gr\C3\B6\C3\9Fe GmbH`];
const seen = names.map((name) => `${name} -> ${new Name(name).getField('O')}`).join('; ');
console.log(seen);
const expected = String.raw`O=Größe GmbH -> Größe GmbH; O=Gr\C3\B6\C3\9Fe GmbH -> GrC3B6C39Fe GmbH`;
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
