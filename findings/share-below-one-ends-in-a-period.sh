#!/usr/bin/env bash
# A number just below 1 makes a structured field invalid.
#
# Version: structured-headers 2.1.0
# Behavior: 0.9999 is written as `1.`, because zeros are removed after the number is rounded to three digits.
#   The parser of the same package rejects this.
# Expected: `1.0`. RFC 9651 requires a digit after the period. That the package writes 1 as the integer
#   `1` is documented, but not this.
# Why it matters: a recipient ignores a whole field if any part of it is invalid. A share or a time of day that
#   is computed passes every test, and for one value in some thousands the field has no content.
# Output: 0.999=share=0.999 (read) 0.9999=share=1. (not read)
# Source: RFC 9651, sections 4.1.5 and 4.2, https://www.rfc-editor.org/rfc/rfc9651.html#section-4.1.5;
#   https://github.com/evert/structured-headers#readme
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent structured-headers@2.1.0 >>npm.log

cat >finding.mjs <<'JS'
import { ParseError, parseDictionary, serializeDictionary } from 'structured-headers';

/** Returns the field for a number, and whether the package can read it. */
function fieldFor(share) {
  const field = serializeDictionary({ share });
  try {
    parseDictionary(field);
    return `${share}=${field} (read)`;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return `${share}=${field} (not read)`;
  }
}

const seen = `${fieldFor(0.999)} ${fieldFor(0.9999)}`;
console.log(seen);
process.exitCode = seen === '0.999=share=0.999 (read) 0.9999=share=1. (not read)' ? 0 : 1;
JS
node finding.mjs
