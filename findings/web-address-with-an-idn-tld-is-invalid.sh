#!/usr/bin/env bash
# A web address whose top-level domain is internationalized is no web address.
#
# Version: zod 4.6.7
# Behavior: `z.httpUrl()` compares the host in its ASCII form with `z.regexes.domain`, whose last label may have
#   letters only. A-labels have hyphens and digits, so such a top-level domain fails in either form. `z.email()`
#   behaves alike, and `z.hostname()` and `z.url()` accept the same name.
# Expected: true for both, because to the DNS an A-label is a label like any other. Further to the left,
#   `z.httpUrl()` accepts one.
# Why it matters: one in ten of the delegated top-level domains is an A-label. A form that checks addresses as the
#   documentation recommends locks out all their registrants, and its test with "bücher.de" passes.
# Output: httpUrl: 例え.example=true 例え.テスト=false hostname: xn--r8jz45g.xn--zckzah=true
# Source: RFC 5890, section 2.3.2.1, https://www.rfc-editor.org/rfc/rfc5890.html#section-2.3.2.1;
#   https://zod.dev/api#urls; https://data.iana.org/TLD/tlds-alpha-by-domain.txt;
#   https://github.com/django/django/pull/4949 (the same fault, fixed in another library)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent zod@4.6.7 >>npm.log

cat >finding.mjs <<'JS'
import { z } from 'zod';

const httpUrl = (host) => `${host}=${z.httpUrl().safeParse(`https://${host}/`).success}`;
const aLabels = new URL('https://例え.テスト/').hostname;
const seen = [
  `httpUrl: ${httpUrl('例え.example')} ${httpUrl('例え.テスト')}`,
  `hostname: ${aLabels}=${z.hostname().safeParse(aLabels).success}`,
].join(' ');
console.log(seen);
const expected =
  'httpUrl: 例え.example=true 例え.テスト=false hostname: xn--r8jz45g.xn--zckzah=true';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
